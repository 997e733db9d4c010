import { createBackend, demo } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { compareSnapshots } from "../src/screens/sandboxes/compare-snapshots.ts";

describe("compareSnapshots", () => {
  it("finds nothing in equal snapshots", () => {
    const backend = createBackend();
    expect(compareSnapshots(backend.snapshot(), backend.snapshot())).toEqual([]);
  });

  it("finds changed, added and removed records, policies and faults, without secrets", () => {
    const backend = createBackend();
    const before = backend.snapshot();
    const app = backend.state.destinations.get(demo.destinations.app);
    if (app === undefined) throw new Error("The demo has no app.");
    backend.state.destinations.set(app.id, {
      ...app,
      name: "Reception",
      signingSecret: "a-secret-that-stays-hidden",
    });
    backend.state.flows.delete(demo.flows.published);
    backend.seed({ accounts: [{ id: "a0000000-0000-4000-8000-0000000000ff", name: "Another" }] });
    backend.updatePolicies({ callDurationSecs: 5 });
    backend.faults.add("createCall 503");
    const differences = compareSnapshots(before, backend.snapshot());
    expect(differences).toEqual([
      { place: "accounts", id: "a0000000-0000-4000-8000-0000000000ff", kind: "added", fields: [] },
      {
        place: "destinations",
        id: demo.destinations.app,
        kind: "changed",
        fields: [expect.stringMatching(/^name .* → Reception$/), "signingSecret"],
      },
      { place: "flows", id: demo.flows.published, kind: "removed", fields: [] },
      { place: "policies", id: "callDurationSecs", kind: "changed", fields: ["callDurationSecs 60 → 5"] },
      { place: "faults", id: "fault-1", kind: "added", fields: [] },
    ]);
    expect(JSON.stringify(differences)).not.toContain("stays-hidden");
  });
});
