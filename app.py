"""The app: page config, the frame (corpus, embedder, language), the navigation, and the page.

``streamlit run`` imports this file once, as ``app``, and then runs it for every visitor, as ``__main__``.
"""

from __future__ import annotations

import streamlit as st

from lab import catalog
from lab.errors import LabError
from lab.models.endpoint import public
from lab.models.memory import NotAsked
from lab.ui import address, escape, launch, navigation, server
from lab.ui.i18n import _
from lab.ui.layout import frame
from lab.ui.models import language_model
from lab.ui.people import operation

server.stay_inside()

if __name__ == "__main__":
    launch.begin_run()
    st.set_page_config(page_title="Retrieval Lab", page_icon=frame.ICON, layout="wide", initial_sidebar_state=232)
    st.html(frame.STYLE)
    frame.prepare()
    language_model.begin()
    page = navigation.chosen()
    st.set_page_config(page_title=f"{page.title} · Retrieval Lab")  # the history of a browser tells pages apart
    frame.draw(page)
    try:
        page.run()
    except NotAsked:
        pass  # what needs the answer is drawn when it is there
    except Exception as error:  # what ends a run in Streamlit is a BaseException, and passes
        problem = catalog.name_plugin(error)
        if problem is not error or not isinstance(problem, LabError):
            operation.failed(error)
        if not isinstance(problem, LabError):
            escape.fault(error, details=not public())  # strangers learn nothing of the machine from a traceback
        else:
            escape.problem(problem)
            if st.session_state["embedder"] != "built-in":
                st.button(
                    _("Continue with the built-in model"),
                    on_click=lambda: address.put("embedder", "built-in"),
                    icon=":material/undo:",
                )
    address.write()
    language_model.go_on()
else:
    server.ignore_pages_folder()
    launch.frugal()  # `streamlit run app.py` did not come by way of `lab.ui.launch`
    app = st.App(__file__)
