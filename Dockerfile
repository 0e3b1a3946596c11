# Retrieval Lab in a container: docker build -t retrieval-lab . && docker run --rm -p 127.0.0.1:8501:8501 retrieval-lab

# A Python that every dependency has a wheel for: no compiler is needed, in the image or to make it.
FROM python:3.12-slim

# An account without rights: what breaks out of the lab finds nothing that it may write.
RUN useradd --create-home --uid 10001 lab

# The lab is installed, with its pages, samples and the client of Milvus.  Its sources are there for this step only
# (a bind mount of BuildKit, Docker's builder since version 23): no layer holds them, nor a file that lies beside them.
# The versions are those with which the tests pass.
RUN --mount=type=bind,target=/src python -m pip install --no-cache-dir "/src[scale]" -c /src/constraints.txt \
    && python -m compileall -q -j 0 /usr/local/lib

# The one folder that is written: uploads and grades over restarts, vectors that were reckoned once.
RUN mkdir /data && chown lab:lab /data
VOLUME /data
ENV LAB_UPLOADS_DIR=/data/uploads LAB_INDEX_DIR=/data/index

# Nothing else is: Python leaves no compiled files, lines of the log come at once, one thread of the numerics a visitor.
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

USER lab
WORKDIR /home/lab
EXPOSE 8501

# Streamlit's own answer to “are you there?”; the first one takes as long as a start.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD \
    ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=2)"]

# No shell in between: SIGTERM reaches the server, which ends within a second.
CMD ["retrieval-lab", "--server.headless=true", "--server.address=0.0.0.0", "--server.port=8501"]
