# One image for every part of Blindverse; compose.yaml says what each part runs.

FROM python:3.11.14-slim-bookworm AS environment
RUN pip install --no-cache-dir uv==0.13.8 && python -m venv /venv
# With the SDKs of every vendor: who runs a site chooses models on its pages, not when it is built.
COPY requirements-providers.lock /
RUN uv pip sync --no-cache --python /venv/bin/python --require-hashes --compile-bytecode \
    /requirements-providers.lock

FROM python:3.11.14-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin blindverse
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    BLINDVERSE_MODE=deployed \
    PORT=8000
WORKDIR /app
COPY --from=environment /venv /venv
COPY manage.py ./
COPY annotation annotation
COPY backend backend
COPY frontend frontend
# The settings insist on every secret and service. Naming the files of the pages needs none of
# them, so these stand in, for this step alone.
RUN BLINDVERSE_SECRET_KEY=stands-in-while-the-image-is-built-only BLINDVERSE_HOSTS=localhost \
    DATABASE_URL=postgres://localhost/none REDIS_URL=redis://localhost \
    python manage.py collectstatic --no-input && python -m compileall -q annotation backend
USER 10001
EXPOSE 8000
# Asks under a name that the site answers to.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s CMD ["python", "-c", "\
import os, urllib.request as web; \
host = os.environ['BLINDVERSE_HOSTS'].split(',')[0].strip().lstrip('.'); \
url = 'http://127.0.0.1:' + os.environ['PORT'] + '/healthz'; \
web.urlopen(web.Request(url, headers={'Host': host}), timeout=4)"]
CMD ["python", "-m", "gunicorn", "-c", "python:backend.config.gunicorn"]
