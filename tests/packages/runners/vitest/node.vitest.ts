// @vitest-environment node
import { describeElsewhere } from "./elsewhere.ts";

describeElsewhere("node");
