import { render } from "preact";
import { App } from "./app.tsx";
import { createSharedFollow } from "./data/connection/shared-stream.ts";
import { createHttpSource } from "./data/connection/source.ts";
import { createHashRouter, createPagePlace } from "./data/place.ts";
import { createSession } from "./data/session.ts";
import "./style/index.css";

const element = document.getElementById("inspector");
if (element !== null) {
  const source = createHttpSource(createSharedFollow, element.dataset.program);
  const session = createSession(source, createHashRouter(), createPagePlace());
  render(<App session={session} />, element);
}
