/** Version 0.9: events name the tool of the MCP server through which somebody acts. */
import { addColumn, type Step } from "./step.ts";

export const steps: readonly Step[] = [addColumn("0281_events_tool", "events", "tool", (w) => w.text(40))];
