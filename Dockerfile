# The mock server: docker build -t call-transfer-mock . && docker run --read-only -p 4010:4010 call-transfer-mock

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm ci
RUN npm run build
RUN mkdir state
# What is published of each package, and nothing else.
RUN for name in spec backend mock-server; do \
      mkdir -p "packed/$name" && \
      npm pack --silent --ignore-scripts --pack-destination packed --workspace "packages/$name" && \
      tar -xzf packed/call-transfer-$name-*.tgz --strip-components=1 -C "packed/$name"; \
    done && rm packed/*.tgz

FROM node:24.21.0-bookworm-slim AS production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/spec/package.json packages/spec/
COPY packages/backend/package.json packages/backend/
COPY packages/mock-server/package.json packages/mock-server/
COPY packages/sdk/package.json packages/sdk/
COPY packages/contract/package.json packages/contract/
# The peers (Prism, Vitest, Playwright) are optional, and only of use outside a container.
RUN npm ci --omit=dev --omit=optional --omit=peer --ignore-scripts --workspace @call-transfer/mock-server
RUN rm -r package.json package-lock.json .npmrc packages
COPY --from=build /source/packed/ packages/

FROM node:24.21.0-bookworm-slim
LABEL org.opencontainers.image.title="call-transfer mock server" \
      org.opencontainers.image.description="Executable mock server of the call-transfer API" \
      org.opencontainers.image.source="https://github.com/call-transfer/call-transfer" \
      org.opencontainers.image.documentation="https://github.com/call-transfer/call-transfer/blob/main/docs/containers.md" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production CALL_TRANSFER_MOCK_HOST=0.0.0.0
COPY --from=production /app/ /app/
# For the file of --data-file, on a volume: the only folder that the user can write.
COPY --from=build --chown=1000:1000 /source/state/ /state/
# Where seeds and certificates are mounted.
WORKDIR /data
USER 1000:1000
EXPOSE 4010
STOPSIGNAL SIGTERM
# The certificate is for the name that clients use, not for 127.0.0.1.
HEALTHCHECK --interval=5s --timeout=3s --start-period=15s --retries=3 CMD ["node", "-e", "const { env } = process; require(env.CALL_TRANSFER_MOCK_TLS_CERT ? 'https' : 'http').get({ host: '127.0.0.1', port: env.CALL_TRANSFER_MOCK_PORT || 4010, path: '/health', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["node", "/app/packages/mock-server/dist/cli.js"]
