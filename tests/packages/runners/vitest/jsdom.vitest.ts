// @vitest-environment jsdom
import { describeElsewhere } from "./elsewhere.ts";

describeElsewhere("jsdom");
