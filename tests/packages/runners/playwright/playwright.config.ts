import { defineConfig } from "@playwright/test";

const { APP_URL = "", BROWSER = "" } = process.env;
const args = ["--no-sandbox", "--disable-gpu"];

export default defineConfig({
  fullyParallel: true,
  workers: 2,
  // A busy machine starts a browser and a server slowly.
  timeout: 300_000,
  expect: { timeout: 240_000 },
  reporter: "list",
  use: { baseURL: APP_URL, launchOptions: { executablePath: BROWSER, args } },
});
