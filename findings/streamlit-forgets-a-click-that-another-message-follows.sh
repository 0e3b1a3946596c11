#!/usr/bin/env bash
# Streamlit forgets the click on a button if the browser's next message follows within a few milliseconds.  With
# runner.fastReruns, which is on unless it is turned off, each message ends the run before it: a run that has not called
# its callbacks by then never calls them, and the button's value is not carried into the next run.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q streamlit==1.67.0 websocket-client==1.9.0 &>/dev/null
cat > app.py <<'PYTHON'
import streamlit as st

st.session_state.setdefault("clicks", 0)


def count():
    st.session_state.clicks += 1


st.checkbox("box")
st.button("button", on_click=count)
st.text(f"clicks {st.session_state.clicks}")
PYTHON
port=$(python3 -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
venv/bin/python -m streamlit run app.py --server.headless true --server.address 127.0.0.1 --server.port "$port" \
    --browser.gatherUsageStats false &>/dev/null &
server=$!
until curl -sf "http://127.0.0.1:$port/_stcore/health" >/dev/null; do sleep 0.2; done
venv/bin/python - "ws://127.0.0.1:$port/_stcore/stream" <<'PYTHON'
import re
import sys
import time
from importlib.metadata import version

import websocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

browser = websocket.create_connection(sys.argv[1], subprotocols=["streamlit"], timeout=0.5)
ids, shown = {}, [0]


def send(**widgets):
    message = BackMsg()
    message.rerun_script.query_string = ""
    for kind, value in widgets.items():
        field = "bool_value" if kind == "checkbox" else "trigger_value"
        message.rerun_script.widget_states.widgets.add(id=ids[kind], **{field: value})
    browser.send_binary(message.SerializeToString())


def clicks():
    """Read until a run has ended and nothing comes for half a second; the number of clicks that the page shows."""
    ended = False
    while True:
        try:
            message = ForwardMsg.FromString(browser.recv())
        except websocket.WebSocketTimeoutException:
            if ended:
                return shown[-1]
            continue
        ended |= message.WhichOneof("type") == "script_finished"
        element = message.delta.new_element
        if (kind := element.WhichOneof("type")) in ("checkbox", "button"):
            ids[kind] = getattr(element, kind).id
        if found := re.search(rb"clicks ([0-9]+)", element.SerializeToString()):
            shown.append(int(found[1]))


def counted(pause):
    """Click 25 times, each time with a change of the box that follows after a pause, in seconds."""
    before = clicks()
    for i in range(25):
        send(checkbox=i % 2 == 0, button=True)
        time.sleep(pause)
        send(checkbox=i % 2 == 1)
        after = clicks()
    return after - before


send()
clicks()
send(checkbox=False)
at_once = counted(0)
send(checkbox=False)
later = counted(0.5)
print("streamlit", version("streamlit"))
print(f"The next message follows at once: some of 25 clicks are not counted ({'now' if at_once < 25 else 'no'}).")
print(f"It follows half a second later: {later} of 25 clicks are counted.")
raise SystemExit((at_once < 25, later) != (True, 25))
PYTHON
