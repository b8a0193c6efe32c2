# The app in a container; docs/guide/anywhere.md says how it is started, and what it may be denied.
ARG PYTHON=3.13

FROM docker.io/library/python:${PYTHON}-slim AS build
WORKDIR /source
RUN python -m venv /opt/app
ENV PATH=/opt/app/bin:$PATH
COPY requirements.txt ./
RUN python -m pip install --no-cache-dir -r requirements.txt
COPY LICENSE README.md pyproject.toml app.py ./
COPY .streamlit .streamlit
COPY sample_data sample_data
COPY bnpexplorer bnpexplorer
RUN python -m pip install --no-cache-dir --no-deps . && \
    find /opt/app/lib -type d -name tests -prune -exec rm -r {} +

FROM docker.io/library/python:${PYTHON}-slim
RUN useradd --uid 1000 --create-home app && install -d -o app -g app -m 700 /data /opt/kernels
COPY --from=build /opt/app /opt/app
ENV PATH=/opt/app/bin:$PATH \
    BNPEXPLORER_HOME=/data \
    NUMBA_CACHE_DIR=/opt/kernels \
    PYTHONUNBUFFERED=1
USER app
WORKDIR /home/app
# Compiled for the processor of the machine that builds; another kind compiles what it needs anew.
RUN bnpexplorer warm
VOLUME /data
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["bnpexplorer"]
# Under the name "localhost": without one the server asks another on the internet for its address.
CMD ["app", "--", "--server.address", "0.0.0.0", "--browser.serverAddress", "localhost", "--server.headless", "true"]
