# Build: everything from the lockfile, one executable out.
FROM oven/bun:1.4.5-debian AS build
WORKDIR /src
COPY package.json bun.lock ./
COPY src/db/patches src/db/patches
RUN bun install --frozen-lockfile
COPY . .
# docker build --build-arg ROWHOUSE_COMMIT=$(git rev-parse --short=12 HEAD) … : what `rowhouse version` says.
ARG ROWHOUSE_COMMIT
RUN ROWHOUSE_COMMIT=$ROWHOUSE_COMMIT bun run build

# Run: glibc, libstdc++, a shell and a passwd entry, which initdb needs, and nothing more (docs/running.md).
FROM debian:bookworm-slim
RUN groupadd --system --gid 990 rowhouse && useradd --system --uid 990 --gid 990 --no-create-home --home-dir /data rowhouse \
 && install -d -o rowhouse -g rowhouse /data
COPY --from=build /src/dist/rowhouse /usr/local/bin/rowhouse
ARG ROWHOUSE_COMMIT
LABEL org.opencontainers.image.title=Rowhouse org.opencontainers.image.revision=$ROWHOUSE_COMMIT
# By number, since Kubernetes (runAsNonRoot) does not look names up.
USER 990:990
WORKDIR /data
ENV HOST=0.0.0.0 ROWHOUSE_DATA_DIR=/data
VOLUME /data
EXPOSE 8090
# PostgreSQL needs a moment for its fast shutdown; give `docker stop` more than its 10 s: --time 30.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["rowhouse", "health"]
ENTRYPOINT ["rowhouse"]
