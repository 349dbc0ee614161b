import { Trans, useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { responseOf, api } from "../../base/api.ts";
import { FieldRoom } from "../../ui/forms/field-room.tsx";
import { useCodeRefusals } from "../../ui/forms/code-refusals.ts";

const DELAY_MS = 200;

const freeCodeQuery = (code: string) =>
  queryOptions({
    queryKey: ["links", "available", code],
    queryFn: async ({ signal }) =>
      (await responseOf(api.GET("/admin/v1/links/available", { params: { query: { code } }, signal }))).data,
    enabled: code !== "",
    staleTime: 0,
  });

type Props = { value: string; onChange(value: string): void; error?: string | undefined };

/** Checks while one types whether the code is free. */
export function ShareCodeField({ value, onChange, error }: Props) {
  const { t } = useLingui();
  const [requested] = useDebouncedValue(value.trim(), DELAY_MS);
  const { data } = useQuery(freeCodeQuery(requested));
  const isChecked = data !== undefined && requested !== "" && requested === value.trim();
  const reasons = useCodeRefusals();
  const refusal = isChecked && !data.available && reasons[data.reason ?? "taken"];
  const said = error ?? refusal;
  return (
    <div>
      <TextInput
        label={t`Code`}
        description={t`Leave empty for a random one.`}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={said}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        maxLength={128}
      />
      <FieldRoom isTaken={said !== false}>
        {isChecked && data.available && <Trans>This code is available.</Trans>}
      </FieldRoom>
    </div>
  );
}
