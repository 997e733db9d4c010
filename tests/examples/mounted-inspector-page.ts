// An app with the inspector of docs/mock-server-msw.md beside it. The mocked platform has the same origin as the page.
import { createSandboxRegistry } from "@call-transfer/backend";
import { mountInspector } from "@call-transfer/mock-server/inspector";
import { CallTransfer } from "@call-transfer/sdk";
import { startWithInspector } from "../../examples/msw/inspector.ts";

const baseUrl = location.origin;

// An app with habits that would break an inspector that is not isolated.
const appStyle = document.createElement("style");
appStyle.textContent =
  "html, body { height: 100%; margin: 0 } body { font: 30px serif; text-align: right; letter-spacing: 9px; color: red } " +
  "button, div, section { padding: 40px; background: yellow } #one, #two { height: 50%; padding: 0 }";
document.head.append(appStyle);
const appKeys: string[] = [];
addEventListener("keydown", ({ key }) => appKeys.push(key));

const element = (id: string) => {
  const created = document.createElement("div");
  created.id = id;
  document.body.append(created);
  return created;
};
const appButton = document.createElement("button");
appButton.id = "app-button";
appButton.textContent = "A button of the app";
document.body.append(appButton);
const appText = document.createElement("input");
appText.id = "app-text";
document.body.append(appText);

const { backend, credentials, unmount } = await startWithInspector(baseUrl, element("one"));
const client = new CallTransfer({ baseUrl, ...credentials });
const second = mountInspector(element("two"), createSandboxRegistry(), { screen: "records" });

const page = {
  listRoles: async () => (await client.roles.list()).roles.length,
  freeze: () => backend.clock.set({ mode: "frozen" }),
  appKeys: () => appKeys.splice(0),
  buttonPadding: () => getComputedStyle(appButton).padding,
  unmount: () => {
    unmount();
    second.unmount();
    return document.querySelectorAll("call-transfer-inspector").length;
  },
};
export type MountedPage = typeof page;

Object.assign(globalThis, { page });
