import type { TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { ShortcutId } from "../ui/keys/shortcuts.ts";

/** What can be done with what was found. */
export type RowAction = { id: ShortcutId; label: string; icon: TablerIcon; act(): unknown };

export type CommandRow = {
  id: string;
  icon: TablerIcon;
  title: ReactNode;
  more?: string | undefined;
  /** By which it is found. */
  names: readonly string[];
  act(): unknown;
  /** As a whole: `actions` is empty for what is only opened. */
  actions: readonly RowAction[];
};

/** What one may start from anywhere. */
export type Action = { id: string; label: string; words?: string; icon: TablerIcon; act(): unknown };
