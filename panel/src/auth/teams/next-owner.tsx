import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";

/** Who gets the links, files and domains of what is deleted. */
export function NextOwner({ value, onChange }: { value: string; onChange(owner: string): void }) {
  const { t } = useLingui();
  return (
    <TextInput
      label={t`What it owns goes to`}
      description={t`An account, or team:name. Links and domains need one.`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoCapitalize="none"
      autoComplete="off"
      spellCheck={false}
      maxLength={100}
    />
  );
}
