# syntax=docker/dockerfile:1
# One image for service and worker. `docker build --target worker` leaves the service's packages out.
FROM python:3.11-slim-bookworm AS build
COPY --from=ghcr.io/astral-sh/uv:0.9 /uv /usr/local/bin/uv
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
WORKDIR /src
# What the lock file names changes seldom: a layer of its own.
COPY pyproject.toml uv.lock ./
RUN --mount=type=cache,target=/root/.cache/uv \
    uv sync --frozen --no-default-groups --no-install-project --extra worker
COPY README.md LICENSE NOTICE ./
COPY protocol protocol
COPY benchmarks benchmarks
COPY workers workers
COPY service service
COPY fathom fathom
COPY migrations migrations
RUN --mount=type=cache,target=/root/.cache/uv \
    uv sync --frozen --no-default-groups --no-editable --extra worker

FROM build AS build-service
RUN --mount=type=cache,target=/root/.cache/uv \
    uv sync --frozen --no-default-groups --no-editable --extra worker --extra service

FROM python:3.11-slim-bookworm AS base
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin fathom \
    && install -d -o fathom -g fathom /data
ENV PATH=/src/.venv/bin:$PATH PYTHONUNBUFFERED=1 FATHOM_DATA=/data HOME=/data
WORKDIR /data
USER fathom
VOLUME /data
ENTRYPOINT ["fathom"]

FROM base AS worker
COPY --from=build /src/.venv /src/.venv
CMD ["worker"]

FROM base AS service
COPY --from=build-service /src/.venv /src/.venv
EXPOSE 8765
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["fathom", "health", "--server", "http://127.0.0.1:8765"]
CMD ["serve", "--host", "0.0.0.0"]
