import streamlit as st
st.title("x")
