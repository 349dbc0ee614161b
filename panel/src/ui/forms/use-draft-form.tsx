import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { DraftNotice } from "./draft-notice.tsx";
import { useDraft } from "./use-draft.tsx";

/** A form of Mantine that keeps what is typed. */
export function useDraftForm<V extends Record<string, unknown>>(
  name: string,
  plain: V,
  { secrets = [], isOfExisting = false }: { secrets?: readonly (keyof V)[]; isOfExisting?: boolean } = {},
) {
  const { start, isRestored, keep, discard, forget } = useDraft(name, plain, secrets);
  const form = useForm<V>({ initialValues: start, onValuesChange: keep });
  const notice: ReactNode = isRestored && (
    <DraftNotice isOfExisting={isOfExisting} onDiscard={() => form.setValues(discard())} />
  );
  return { form, notice, forget };
}
