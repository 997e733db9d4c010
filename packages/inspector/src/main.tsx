import { render } from "preact";
import { App } from "./app.tsx";
import { createHttpSource } from "./data/connection/http-source.ts";
import { createPagePlace } from "./data/session/place.ts";
import { createHashRouter } from "./data/session/route.ts";
import { createSession } from "./data/session/session.ts";
import "./style/index.css";

const element = document.getElementById("inspector");
if (element !== null)
  render(<App session={createSession(createHttpSource(), createHashRouter(), createPagePlace())} />, element);
