# The command mem in an image without npm modules. docs/deploy.md says how to run it.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-alpine AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/cli/package.json packages/cli/
COPY packages/contract/package.json packages/contract/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/embedder/package.json packages/embedder/
COPY packages/mcp/package.json packages/mcp/
COPY packages/pro/package.json packages/pro/
COPY packages/sdk/package.json packages/sdk/
COPY packages/server/package.json packages/server/
RUN npm ci --omit=dev --ignore-scripts
COPY scripts scripts
COPY packages packages
# Binaries for other platforms are left out.
RUN node scripts/build.mjs cli \
  && find packages/cli/dist/sqlite/prebuilds -type f ! -path "*/linux-$(node -p process.arch)/*" -delete

FROM node:${NODE_VERSION}-alpine
LABEL org.opencontainers.image.title="mem" \
  org.opencontainers.image.description="Memory for software agents" \
  org.opencontainers.image.licenses="Apache-2.0"
COPY LICENSE packages/cli/package.json /opt/mem/
COPY --from=build /build/packages/cli/dist /opt/mem/dist
RUN ln -s /opt/mem/dist/mem.js /usr/local/bin/mem \
  && install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production \
  MEM_DATA_DIR=/data \
  MEM_HTTP_HOST=0.0.0.0 \
  MEM_HTTP_PORT=8080
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=40s --retries=3 \
  CMD wget -q -O /dev/null "http://127.0.0.1:${MEM_HTTP_PORT}/health" || exit 1
ENTRYPOINT ["mem"]
CMD ["serve"]
