import { defineConfig } from "@playwright/test";

const { APP_URL = "", BROWSER = "" } = process.env;
const args = ["--no-sandbox", "--disable-gpu"];

export default defineConfig({
  fullyParallel: true,
  workers: 2,
  reporter: [["list"], ["json", { outputFile: "report.json" }]],
  use: { baseURL: APP_URL, launchOptions: { executablePath: BROWSER, args } },
});
