"""The app: page config, the frame (corpus, embedder, language), the navigation, and the page."""

from __future__ import annotations

import streamlit as st

from lab.ui import address, frame, navigation

st.set_page_config(page_title="Retrieval Lab", page_icon=":material/science:", layout="wide")
st.html(frame.STYLE)
frame.prepare()
page = navigation.draw()
frame.draw()
page.run()
address.write()
