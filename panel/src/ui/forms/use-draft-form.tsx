import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { DraftNotice } from "./draft-notice.tsx";
import { useDraft } from "./use-draft.tsx";

/**
 * A form of Mantine that keeps what is typed.
 *
 * @param name of the draft; begins with `new ` if the thing does not exist yet
 */
export function useDraftForm<V extends Record<string, unknown>>(
  name: string,
  plain: V,
  {
    secrets = [],
    isWorth,
  }: { secrets?: readonly (keyof V)[]; isWorth?: (changes: Partial<V>) => boolean } = {},
) {
  const { start, isRestored, keep, discard, forget } = useDraft(name, plain, secrets, isWorth);
  const form = useForm<V>({ initialValues: start, onValuesChange: keep });
  const notice: ReactNode = isRestored && (
    <DraftNotice isOfExisting={!name.startsWith("new ")} onDiscard={() => form.setValues(discard())} />
  );
  return { form, notice, forget };
}
