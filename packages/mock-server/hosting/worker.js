// A mock server whose sandboxes are Durable Objects. Its settings are in wrangler.jsonc.
export { default, Sandbox, SandboxDirectory } from "@call-transfer/mock-server/worker";
