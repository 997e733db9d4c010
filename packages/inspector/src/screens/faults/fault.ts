import type { Schema } from "@call-transfer/backend/control-client";

/** A fault, as the control plane takes it. */
export type Fault = Schema<"Fault">;
/** A fault of the list: with its id and its hits, and with the counts that remain. */
export type ListedFault = Schema<"FaultList">["faults"][number];
/** What a fault does to one request or delivery. */
export type Step = Schema<"FaultAction"> | Schema<"WebhookFaultAction"> | Schema<"FaultPass">;

/** What a fault does, one step for each match. */
export function stepsOf({ do: actions }: Pick<Fault, "do">): readonly Step[] {
  const steps: Step | readonly Step[] = actions;
  return isList(steps) ? steps : [steps];
}

/** The fault with other steps. A single one is no list. */
export function withSteps(fault: Fault, steps: readonly Step[]): Fault {
  const [first, ...others] = steps;
  // The control plane checks that the steps are those of the fault's kind.
  return { ...fault, do: others.length === 0 && first !== undefined && first !== "pass" ? first : steps } as Fault;
}

/** The criteria of the requests or deliveries that a fault matches. */
export function criteriaOf(fault: Fault): Schema<"FaultMatch"> & Schema<"WebhookMatch"> {
  return { ...("webhooks" in fault ? fault.webhooks : fault.match) };
}

function isList(actions: Step | readonly Step[]): actions is readonly Step[] {
  return Array.isArray(actions);
}
