import { useLingui } from "@lingui/react/macro";
import { Modal } from "@mantine/core";
import type { ComponentProps, RefObject } from "react";
import { FocusBack } from "../ui/focus-back.ts";
import { CommandMenu } from "./command-menu.tsx";

type Props = ComponentProps<typeof CommandMenu> & { opener: RefObject<HTMLElement | null> };

export function CommandWindow({ opener, ...menu }: Props) {
  const { t } = useLingui();
  return (
    <Modal.Root
      opened
      onClose={menu.onClose}
      returnFocus={false}
      size="lg"
      padding={0}
      yOffset="10vh"
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t`Commands`}>
        <FocusBack other={() => document.querySelector<HTMLElement>("main [role=grid]") ?? opener.current} />
        <CommandMenu {...menu} />
      </Modal.Content>
    </Modal.Root>
  );
}
