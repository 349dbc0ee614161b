import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../base/api.ts";
import { mayHeal } from "../../base/queries.ts";
import { useSentence } from "../failure.tsx";
import { showUndo } from "./undo-notice.tsx";

type Undoable = {
  run(): Promise<unknown>;
  undo(): Promise<unknown>;
  /** After the action, and after undo. */
  refresh(): Promise<void>;
  /** What happened. */
  message: ReactNode;
};

/** Only after one has left the page at the end of the session, and knows it. */
export const isLeft = (error: unknown): boolean =>
  error instanceof ApiError && error.error === "Unauthorized";

/** Shows the server's message. */
export function useFailureNotice(): (error: Error) => void {
  const sentenceOf = useSentence();
  return (error) => {
    if (!isLeft(error)) notifications.show({ color: "red", message: sentenceOf(error) });
  };
}

type Offer = Pick<Undoable, "undo" | "refresh" | "message"> & { more?: ReactNode };

/**
 * Says what happened, and offers undo, again after a failure of the network or of a busy server. Returns a function
 * that removes the offer.
 */
export function useUndoOffer(): (offer: Offer) => () => void {
  const onError = useFailureNotice();
  const undoing = useMutation({
    mutationFn: ({ undo }: Offer) => undo(),
    onSuccess: (_, { refresh }) => refresh(),
    onError(error, offer) {
      onError(error);
      if (mayHeal(error)) show(offer);
    },
  });
  const show = ({ message, more, ...offer }: Offer): (() => void) =>
    showUndo({ message, more, onUndo: () => undoing.mutate({ message, more, ...offer }) });
  return show;
}

/** Runs at once, and offers undo, instead of asking first. */
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
