import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import {
  type Hours,
  shortDay,
  type Weekday,
  type Window,
  weekdays,
  withoutWindow,
  withWindow,
  withWorkingDays,
} from "./week.ts";
import { WeekGrid } from "./week-grid.tsx";

/** What hours start with: Monday to Friday, 09:00 to 17:00. */
export const firstHours: Hours = withWorkingDays({ monday: [{ from: "09:00", to: "17:00" }] }, "monday");

/** Edits a week of hours: by fields for each window, or with the pointer on a grid. */
export function HoursField({
  hours,
  accountTimeZone,
  onChange,
  errorAt,
  path,
}: {
  /** Undefined for a member who is always within hours. */
  readonly hours: Hours | undefined;
  /** The zone of hours that have none. */
  readonly accountTimeZone: string;
  readonly onChange: (hours: Hours | undefined) => void;
  readonly errorAt: (path: string) => string | undefined;
  readonly path: string;
}) {
  if (hours === undefined) return <NoHours set={() => onChange(firstHours)} />;
  const error = errorAt(path);
  return (
    <fieldset class="form-group">
      <legend>Hours</legend>
      {error !== undefined && (
        <p class="field-error" dir="auto">
          {error}
        </p>
      )}
      <WeekGrid
        hours={hours}
        timeZone={hours.timeZone || accountTimeZone}
        onDraw={(day, index, window) => onChange(withWindow(hours, day, index, window))}
      />
      <div class="day-list">
        {weekdays.map((day) => (
          <DayFields
            key={day}
            day={day}
            windows={hours[day] ?? []}
            path={`${path}.${day}`}
            errorAt={errorAt}
            onWindow={(index, window) =>
              onChange(window === undefined ? withoutWindow(hours, day, index) : withWindow(hours, day, index, window))
            }
          />
        ))}
      </div>
      <TimeZoneField
        hours={hours}
        accountTimeZone={accountTimeZone}
        error={errorAt(`${path}.timeZone`)}
        onChange={onChange}
      />
      <div class="actions">
        <Button onPress={() => onChange(withWorkingDays(hours, "monday"))}>Copy Monday to Friday</Button>
        <Button rank="danger" onPress={() => onChange(undefined)}>
          Remove the hours
        </Button>
      </div>
    </fieldset>
  );
}

function NoHours({ set }: { readonly set: () => void }) {
  return (
    <fieldset class="form-group">
      <legend>Hours</legend>
      <p class="field-hint">No hours are set: every time is within them.</p>
      <Button onPress={set}>Set hours</Button>
    </fieldset>
  );
}

function TimeZoneField({
  hours,
  accountTimeZone,
  error,
  onChange,
}: {
  readonly hours: Hours;
  readonly accountTimeZone: string;
  readonly error: string | undefined;
  readonly onChange: (hours: Hours) => void;
}) {
  return (
    <TextField
      label="Time zone"
      placeholder={accountTimeZone}
      value={hours.timeZone ?? ""}
      hint="An IANA name such as Europe/Berlin. Without one, the account's zone counts."
      error={error}
      onChange={(text) => {
        const { timeZone: _, ...others } = hours;
        onChange(text === "" ? others : { ...others, timeZone: text });
      }}
    />
  );
}

function DayFields({
  day,
  windows,
  path,
  errorAt,
  onWindow,
}: {
  readonly day: Weekday;
  readonly windows: readonly Window[];
  readonly path: string;
  readonly errorAt: (path: string) => string | undefined;
  /** Replaces the window at a place, adds it, or removes it if undefined. */
  readonly onWindow: (index: number, window: Window | undefined) => void;
}) {
  return (
    <div class="day-fields" role="group" aria-label={day}>
      <span class="week-day">{shortDay(day)}</span>
      <div>
        {windows.length === 0 && <span class="day-none">none</span>}
        {windows.map((window, index) => (
          <WindowFields
            key={index}
            day={shortDay(day)}
            window={window}
            errors={[errorAt(`${path}[${index}].from`), errorAt(`${path}[${index}].to`)]}
            onChange={(next) => onWindow(index, next)}
          />
        ))}
      </div>
      <Button
        icon="plus"
        label={`Add hours on ${shortDay(day)}`}
        onPress={() => onWindow(windows.length, { from: "09:00", to: "17:00" })}
      />
    </div>
  );
}

function WindowFields({
  day,
  window,
  errors,
  onChange,
}: {
  readonly day: string;
  readonly window: Window;
  /** Of its two ends. */
  readonly errors: readonly (string | undefined)[];
  readonly onChange: (window: Window | undefined) => void;
}) {
  return (
    <div class="day-window">
      {(["from", "to"] as const).map((end, place) => (
        <input
          key={end}
          class="time-input number"
          aria-label={`${day} ${end}`}
          aria-invalid={errors[place] !== undefined}
          placeholder="00:00"
          value={window[end]}
          onInput={(event) => onChange({ ...window, [end]: event.currentTarget.value })}
        />
      ))}
      <Button icon="close" label={`Remove ${day} ${window.from} to ${window.to}`} onPress={() => onChange(undefined)} />
      {errors.map(
        (error, place) =>
          error !== undefined && (
            <p key={place} class="field-error" role="alert">
              {error}
            </p>
          ),
      )}
    </div>
  );
}
