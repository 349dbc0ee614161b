import { useLingui } from "@lingui/react/macro";
import { Checkbox, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { responseOf, api, ApiError } from "../../base/api.ts";
import { ExpiryField } from "../../ui/forms/expiry-field.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { fieldErrors, FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { accountQuery } from "../account.ts";
import { type ChosenFolder, FolderField } from "./folder-field.tsx";
import { type Scope, SCOPES, useScopeTexts } from "./scopes.ts";

/** Whether the token may be bound to a folder. */
const isAboutFiles = (scopes: readonly Scope[]): boolean =>
  !scopes.includes("admin") && scopes.some((scope) => scope.startsWith("files:"));

export function TokenFields({ onClose, onMade }: { onClose(): void; onMade(secret: string): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(accountQuery);
  const texts = useScopeTexts();
  const { form, notice, forget } = useDraftForm("new token", {
    name: "",
    scopes: [] as Scope[],
    expires_at: "90d",
    folder: null as ChosenFolder | null,
  });
  const { close, tellIfGone } = useLateResponse(onClose);
  const make = useMutation({
    mutationFn: async ({ name, scopes, expires_at: expires, folder }: typeof form.values) => {
      const body = {
        name: name.trim(),
        scopes,
        ...(expires.trim() !== "" && { expires_at: expires.trim() }),
        ...(folder !== null && isAboutFiles(scopes) && { folder_id: folder.id }),
      };
      return (await responseOf(api.POST("/admin/v1/tokens", { body }))).data;
    },
    async onSuccess({ token }) {
      forget();
      onMade(token);
      close();
      await queries.invalidateQueries({ queryKey: ["tokens"] });
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => make.mutate(values))}
      onClose={onClose}
      error={make.error}
      isPending={make.isPending}
      action={t`Create`}
    >
      {notice}
      <TextInput
        {...form.getInputProps("name")}
        label={t`Name`}
        required
        withAsterisk={false}
        maxLength={64}
        data-autofocus
      />
      <Checkbox.Group {...form.getInputProps("scopes")} label={t`Scopes`}>
        <Stack gap={8} mt={6}>
          {SCOPES[account.role].map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} description={texts[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      {isAboutFiles(form.values.scopes) && (
        <FolderField
          value={form.values.folder}
          onChange={(folder) => form.setFieldValue("folder", folder)}
          error={form.errors["folder_id"]}
        />
      )}
      <ExpiryField
        value={form.values.expires_at}
        onChange={(expires) => form.setFieldValue("expires_at", expires)}
        error={form.errors["expires_at"]}
        lengths={["7d", "30d", "90d", "365d"]}
      />
    </FormFields>
  );
}
