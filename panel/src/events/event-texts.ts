import { useLingui } from "@lingui/react/macro";
import { useFieldTexts, useLimitNames } from "../links/form/field-texts.ts";
import type { EventVia } from "./event-search.ts";

export function useViaNames(): Record<EventVia, string> {
  const { t } = useLingui();
  return {
    panel: t`in the panel`,
    api: t`over the API`,
    token: t`with a token`,
    cli: t`on the command line`,
    import: t`by an import`,
    system: t`by itself`,
  };
}

/** Names of known actions. */
export function useActionNames(): Record<string, string> {
  const { t } = useLingui();
  return {
    "link.create": t`Link created`,
    "link.update": t`Link changed`,
    "link.delete": t`Link deleted`,
    "link.restore": t`Link restored`,
    "link.approve": t`Link approved`,
    "link.refuse": t`Link refused`,
    "link.take_down": t`Link taken down`,
    "link.put_back": t`Link put back`,
    "link.report": t`Link reported`,
    "link.report_dismiss": t`Report dismissed`,
    "link.threshold": t`Clicks reached`,
    "link.target_dead": t`Target does not answer`,
    "link.target_alive": t`Target answers again`,
    "share.take_down": t`Share taken down`,
    "share.put_back": t`Share put back`,
    "links.import": t`Links imported`,
    "tag.rename": t`Tag renamed`,
    "tag.delete": t`Tag deleted`,
    "tag.restore": t`Tag restored`,
    "account.create": t`Account created`,
    "account.update": t`Account changed`,
    "account.delete": t`Account deleted`,
    "account.reset_2fa": t`Second factor reset`,
    "passkey.add": t`Passkey added`,
    "passkey.rename": t`Passkey renamed`,
    "passkey.remove": t`Passkey removed`,
    "totp.enable": t`Authenticator app set up`,
    "totp.disable": t`Authenticator app removed`,
    "recovery_codes.renew": t`Recovery codes renewed`,
    "team.create": t`Team created`,
    "team.update": t`Team changed`,
    "team.delete": t`Team deleted`,
    "token.create": t`Token created`,
    "token.revoke": t`Token revoked`,
    "domain.create": t`Domain added`,
    "domain.update": t`Domain changed`,
    "domain.delete": t`Domain deleted`,
    "policy.create": t`Storage created`,
    "policy.update": t`Storage changed`,
    "policy.delete": t`Storage deleted`,
    "setting.update": t`Setting changed`,
    "sign_in.success": t`Signed in`,
    "sign_in.failure": t`Sign-in failed`,
    "session.end": t`Session ended`,
    "share.create": t`Share created`,
    "share.update": t`Share changed`,
    "share.delete": t`Share ended`,
    "drop.received": t`Files received`,
    "folder.transfer": t`Folder given to another owner`,
    "file.transfer": t`File given to another owner`,
  };
}

/** Fields of events as the forms of the panel name them. */
export function useFieldNames(): Record<string, string> {
  const { t } = useLingui();
  const ofLinks = Object.entries(useFieldTexts()).map(([name, { label }]) => [name, label]);
  return {
    ...Object.fromEntries(ofLinks),
    ...useLimitNames(),
    account: t`Account`,
    address: t`Address`,
    base_path: t`Folder`,
    browser: t`Browser`,
    bucket: t`Bucket`,
    clicks: t`Clicks`,
    created_at: t`Created`,
    default_url: t`Root leads to`,
    disabled: t`Disabled`,
    download: t`Downloads`,
    driver_type: t`Kind`,
    endpoint: t`Endpoint`,
    expired_url: t`Expired links lead to`,
    file_id: t`File`,
    folder_id: t`Folder`,
    has_credentials: t({ message: "Keys", context: "of a storage" }),
    host: t`Host`,
    id: t`Number`,
    is_default: t`Default`,
    links: t`Links`,
    name: t`Name`,
    not_found_url: t`Unknown codes lead to`,
    os: t`System`,
    quota_bytes: t`Space for files`,
    region: t`Region`,
    role: t`Role`,
    scopes: t`Scopes`,
    signed_in_by: t`Signed in by`,
    sender_name: t`Sender`,
    size: t`Size`,
    tag: t`Tag`,
    updated_at: t`Changed`,
    username: t`Name`,
    value: t`Value`,
  };
}
