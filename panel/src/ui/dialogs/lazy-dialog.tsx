import { useWindowEvent } from "@mantine/hooks";
import { type ReactNode, Suspense } from "react";
import { useBackCloses } from "../back-closes.ts";
import { WaitingBar } from "../waiting-bar.tsx";

type Props = { isOpen?: boolean; onClose(): void; children: ReactNode };

/** Around a dialog that loads when it opens. Escape and Back call it off meanwhile. */
export const LazyDialog = ({ isOpen = true, onClose, children }: Props) => (
  <Suspense fallback={isOpen && <Opening onClose={onClose} />}>{children}</Suspense>
);

function Opening({ onClose }: Pick<Props, "onClose">) {
  useBackCloses(true, onClose);
  useWindowEvent("keydown", ({ key }) => void (key === "Escape" && onClose()));
  return <WaitingBar />;
}
