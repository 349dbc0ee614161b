import type { IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";

/** What the button of a row says: on phones an icon, because the name of the row needs the room. */
export const RowLabel = ({ Icon, children }: { Icon: typeof IconTrash; children: ReactNode }) => (
  <>
    <Icon size={18} aria-hidden className="mantine-hidden-from-sm" />
    <span className="mantine-visible-from-sm">{children}</span>
  </>
);
