"""Some of these tests open pages."""

import app_pages  # noqa: F401  # changes Streamlit's test runner
