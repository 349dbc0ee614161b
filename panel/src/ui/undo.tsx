import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSentence } from "./failure.tsx";
import { showUndo } from "./undo-notice.tsx";

type Undoable = {
  run(): Promise<unknown>;
  undo(): Promise<unknown>;
  /** After either. */
  refresh(): Promise<void>;
  /** What happened. */
  message: ReactNode;
};

/** Shows the server's sentence. */
export function useFailureNotice(): (error: Error) => void {
  const sentenceOf = useSentence();
  return (error) => void notifications.show({ color: "red", message: sentenceOf(error) });
}

type Offer = Pick<Undoable, "undo" | "refresh" | "message">;

/** Tells what happened, and offers to take it back. */
export function useUndoOffer(): (offer: Offer) => void {
  const onError = useFailureNotice();
  const undoing = useMutation({
    mutationFn: ({ undo }: Offer) => undo(),
    onSuccess: (_, { refresh }) => refresh(),
    onError,
  });
  return (offer) => void showUndo({ message: offer.message, onUndo: () => undoing.mutate(offer) });
}

/** Runs at once, and offers to take it back, instead of asking before. */
export function useUndoable({ run, ...offer }: Undoable) {
  const show = useUndoOffer();
  const onError = useFailureNotice();
  return useMutation({
    mutationFn: run,
    async onSuccess() {
      show(offer);
      await offer.refresh();
    },
    onError,
  });
}
