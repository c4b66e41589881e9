# Memory in one container: the pages, the API and the worker. See docs/http.md.
FROM python:3.12-slim AS build
COPY . /source
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir -c /source/constraints.txt "/source[local,mcp,metrics,postgres,web]"

FROM python:3.12-slim
RUN useradd --uid 10001 --create-home historian && install -d -o historian -g historian -m 700 /data
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 HISTORIAN__COGNITIVE__DATA_DIR=/data/cognitive HISTORIAN__WEB__HOST=0.0.0.0
USER historian
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/health', timeout=3)"]
CMD ["historian", "serve"]
