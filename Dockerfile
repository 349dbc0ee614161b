# One executable in a small image, run by an unprivileged account.
#   docker build -t waymark .
#   docker run -p 8080:8080 -v waymark-data:/data waymark
# See docs/containers.md. New volumes inherit owner and mode of /data and /data/files below.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
COPY scripts/setup.mjs scripts/exclusive.mjs scripts/
RUN node scripts/setup.mjs
COPY . .
RUN npm run build:binary

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates tini \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 waymark \
 && useradd --uid 10001 --gid 10001 --no-log-init --no-create-home --home-dir /data --shell /usr/sbin/nologin waymark \
 && install -d -o waymark -g waymark -m 0700 /data /data/files
COPY --from=build /src/LICENSE /src/NOTICE.md /usr/local/share/doc/waymark/
COPY --from=build /src/node_modules/libheif-js/libheif-wasm/LICENSE /usr/local/share/doc/waymark/LICENSE.libheif
COPY --from=build /src/dist/waymark /usr/local/bin/waymark
USER waymark
WORKDIR /data
ENV WAYMARK__DATA__DIR=/data \
    WAYMARK__SERVER__HOST=0.0.0.0 \
    MIMALLOC_PURGE_DELAY=3 \
    MIMALLOC_ARENA_PURGE_MULT=1 \
    WAYMARK__LOGGING__FORMAT=json \
    BUN_JSC_forceRAMSize=268435456
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s CMD ["waymark", "status", "--probe"]
# tini reaps processes and forwards signals.
ENTRYPOINT ["tini", "--", "waymark"]
CMD ["serve"]
