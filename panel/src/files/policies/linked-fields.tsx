import { useLingui } from "@lingui/react/macro";
import { NumberInput, Switch } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { PolicyValues } from "./policy-values.ts";

export function LinkedFields({ form }: { form: UseFormReturnType<PolicyValues> }) {
  const { t } = useLingui();
  return (
    <>
      <NumberInput
        {...form.getInputProps("rescan_minutes")}
        label={t`Minutes between two scans`}
        description={t`A scan finds changes in folders that nobody opens.`}
        required
        withAsterisk={false}
        min={1}
        max={100_000}
        allowDecimal={false}
      />
      <Switch
        {...form.getInputProps("is_writable", { type: "checkbox" })}
        label={t`Files can be changed here`}
        description={t`Uploads, new names and deletions change the folder on the server. What is deleted or replaced stays in its hidden folder .waymark until the trash is emptied.`}
      />
    </>
  );
}
