import type { Schema } from "@call-transfer/backend/control-client";
import type { Fault } from "./fault.ts";
import { NumberInput } from "./step-field.tsx";

type When = Schema<"FaultWhen">;

/** How often and when a fault applies. */
export function WhenFields({ fault, onChange }: { readonly fault: Fault; readonly onChange: (fault: Fault) => void }) {
  const { times = 1, nth = 1, probability = 1 } = fault.when ?? {};
  const change = (changes: When) => onChange(withWhen(fault, changes));
  const often = times === null ? "always" : times === 1 ? "once" : "times";
  return (
    <fieldset class="when">
      <legend>How often</legend>
      <label>
        <input type="radio" name="often" checked={often === "once"} onChange={() => change({ times: 1 })} /> Once
      </label>
      <label>
        <input type="radio" name="often" checked={often === "times"} onChange={() => change({ times: 3 })} /> Several
        times
      </label>
      {often === "times" && times !== null && (
        <NumberInput label="How many times" unit="times" value={times} onChange={(next) => change({ times: next })} />
      )}
      <label>
        <input type="radio" name="often" checked={often === "always"} onChange={() => change({ times: null })} /> Until
        removed
      </label>
      <span class="when-more">
        From match <NumberInput label="First match that fails" value={nth} onChange={(next) => change({ nth: next })} />
      </span>
      <span class="when-more">
        Chance
        <NumberInput
          label="Chance that a match fails, in percent"
          unit="%"
          value={Number((probability * 100).toPrecision(6))}
          onChange={(percent) => change({ probability: percent / 100 })}
        />
      </span>
    </fieldset>
  );
}

/** The fault with another `when`. Its default is left out, so that the fault stays short. */
function withWhen(fault: Fault, changes: When): Fault {
  const { nth, probability, ...rest } = { ...fault.when, ...changes };
  return {
    ...fault,
    when: {
      ...rest,
      ...(nth !== undefined && nth !== 1 && { nth }),
      ...(probability !== undefined && probability !== 1 && { probability }),
    },
  };
}
