// @vitest-environment happy-dom
import { describeElsewhere } from "./elsewhere.ts";

describeElsewhere("happy-dom");
