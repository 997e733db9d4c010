import { expect, it } from "vitest";
import { readSettings } from "../../src/worker/settings.ts";

it("without settings, the control plane is off and sandboxes are kept for 30 days", () => {
  expect(readSettings({})).toEqual({
    controlToken: undefined,
    hostSuffix: undefined,
    isAuto: false,
    maxSandboxes: 1000,
    expiryMs: 30 * 86_400_000,
    options: {},
    origins: [],
  });
});

it("reads settings as JSON and as texts", () => {
  const read = {
    controlToken: "0123456789abcdef",
    hostSuffix: ".mock.example.com",
    isAuto: true,
    maxSandboxes: 5,
    expiryMs: 43_200_000,
    options: { clockMode: "frozen" },
    origins: ["http://localhost:5173", "https://app.example.com"],
  };
  const common = {
    CONTROL_TOKEN: "0123456789abcdef",
    SANDBOX_HOST: "*.mock.example.com",
    CORS_ORIGINS: "http://localhost:5173, https://app.example.com",
  };
  const json = {
    AUTO_SANDBOXES: true,
    MAX_SANDBOXES: 5,
    SANDBOX_IDLE_DAYS: 0.5,
    SANDBOX_OPTIONS: { clockMode: "frozen" },
  };
  const texts = {
    AUTO_SANDBOXES: "true",
    MAX_SANDBOXES: "5",
    SANDBOX_IDLE_DAYS: "0.5",
    SANDBOX_OPTIONS: '{"clockMode":"frozen"}',
  };
  expect(readSettings({ ...common, ...json })).toEqual(read);
  expect(readSettings({ ...common, ...texts })).toEqual(read);
});

it("takes empty texts for settings that are not set, and 0 days for never", () => {
  const empty = { SANDBOX_HOST: "", MAX_SANDBOXES: "", SANDBOX_IDLE_DAYS: "", SANDBOX_OPTIONS: "", CORS_ORIGINS: "" };
  expect(readSettings(empty)).toEqual(readSettings({}));
  expect(readSettings({ SANDBOX_IDLE_DAYS: 0 }).expiryMs).toBeUndefined();
});

it.each([
  ["CONTROL_TOKEN", "", "CONTROL_TOKEN: must have 16 to 256 characters"],
  ["CONTROL_TOKEN", "short", "CONTROL_TOKEN: must have 16 to 256 characters"],
  ["SANDBOX_HOST", "mock.example.com", "SANDBOX_HOST: must be a pattern in lower case, such as *.mock.example.com"],
  ["SANDBOX_HOST", "*.Mock.example.com", "SANDBOX_HOST: must be a pattern in lower case"],
  ["SANDBOX_HOST", "*", "SANDBOX_HOST: must be a pattern in lower case"],
  ["AUTO_SANDBOXES", "yes", "AUTO_SANDBOXES: must be true or false"],
  ["MAX_SANDBOXES", 0, "MAX_SANDBOXES: must be an integer from 1"],
  ["MAX_SANDBOXES", "many", "MAX_SANDBOXES: must be an integer from 1"],
  ["SANDBOX_IDLE_DAYS", -1, "SANDBOX_IDLE_DAYS: must be a number of days, or 0 to keep all sandboxes"],
  ["SANDBOX_IDLE_DAYS", "a month", "SANDBOX_IDLE_DAYS: must be a number of days"],
  ["SANDBOX_OPTIONS", "{", 'SANDBOX_OPTIONS: must be a JSON object, such as { "clockMode": "frozen" }'],
  ["SANDBOX_OPTIONS", [], "SANDBOX_OPTIONS: must be a JSON object"],
  [
    "CORS_ORIGINS",
    "http://a.test, http://b.test/",
    "http://b.test/ must be an origin without a path or trailing slash, such as http://b.test",
  ],
  ["CORS_ORIGINS", "*", "CORS_ORIGINS: must be origins, separated by commas. * is no pattern of origins"],
])("%s %j is refused", (name, value, message) => {
  expect(() => readSettings({ [name]: value })).toThrow(message);
});
