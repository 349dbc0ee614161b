import { Box } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactElement, type Ref, Suspense, useRef } from "react";
import { soonPart } from "../base/lazy.ts";
import type { PresetsProps } from "./presets-panel.tsx";

const PresetsPanel = soonPart(async () => (await import("./presets-panel.tsx")).PresetsPanel);

type Props = PresetsProps & {
  opener: (props: { ref: Ref<HTMLButtonElement>; onClick(): void; "aria-expanded": boolean }) => ReactElement;
};

/** What the account and its teams keep under names: to use, save and delete it. */
export function PresetsButton({ opener, onChoose, ...presets }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const button = useRef<HTMLButtonElement>(null);
  const isOpened = useRef(false);
  isOpened.current ||= isOpen;
  function closePanel(): void {
    close();
    button.current?.focus({ preventScroll: true });
  }
  return (
    <Box component="span" pos="relative">
      {opener({ ref: button, onClick: toggle, "aria-expanded": isOpen })}
      {isOpened.current && (
        <Suspense fallback={null}>
          <PresetsPanel
            {...presets}
            isOpen={isOpen}
            onClose={closePanel}
            onChoose={(content) => {
              closePanel();
              onChoose(content);
            }}
          />
        </Suspense>
      )}
    </Box>
  );
}
