import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./session.ts";

/** The session of the inspector that a component is part of. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session. Throws an Error outside an inspector. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error("A component of the inspector is outside a SessionContext.");
  return session;
}
