/** What operations do beyond their summaries, by operationId: details, surprises, costs. Who may call one follows from its endpoint. */
import { type Endpoint, tokenScope } from "./endpoint.ts";
import { operationIdOf } from "./openapi-names.ts";

const CODE_ENDS = "The end of a code can look like this path: write its last slash as %2F then.";
const OWN = "Editors count the links that they or their teams own, administrators all.";
const DETAILS =
  "It needs details of clicks (`analytics.enable_detailed_logging`); while they are off, `details` is false.";
const LIVE = "The stream stays open until the session or token ends.";
const TUS = "Follows tus 1.0.0, so its clients work.";
const HIDDEN = "The stored content can be anything, so it is sent with a policy that lets it run nothing.";

const OPERATIONS: Readonly<Record<string, string>> = {
  getOpenapiJson:
    "The document that you read, for generators and tools. It describes this version of the server with its prefixes.",
  getDocs: "An HTML page that shows this document and sends requests with your session.",
  getDoc: "For the page of the documentation, which loads it.",
  getAuthOidc:
    "A browser is sent to the provider, and comes back to the path of the panel in `to`. 404 while no provider is set.",
  headAuthOidc: "The headers of the same GET.",
  getAuthOidcCallback:
    "For the browser that the provider sends back. Errors lead to the panel's sign-in page, which says what to do.",
  headAuthOidcCallback: "The headers of the same GET.",
  postAuthLogin:
    "A right password of an account with a second factor is answered with 401 and a fault of the field `totp`: send `totp` or `recovery_code` beside it. Without `username` it is the built-in administrator. Wrong passwords delay further ones (429).",
  postAuthRefresh:
    "Programs that keep cookies renew their session with it before the access token ends. A token that was replaced ends the session, because it may be stolen; for ten seconds it is accepted, for tabs that renew at once.",
  postAuthLogout:
    "With `sessions=all` every session of the account ends. API tokens stay. `continue_at` of the answer is where a provider of OpenID Connect ends its own session.",
  getAuthVerify:
    "Answers 401 if the session has ended, and how long the access token is valid otherwise. A browser that is known to the account is not slowed down by wrong passwords of others.",
  getAuthMe:
    "Name, role and quota of the account, and whether its second factor is due. With an API token it is a cheap way to try it.",
  postAccountSecondFactor:
    "Until then other requests of such a session answer 403 with the field `second_factor`.",
  putAuthPassword:
    "Needs the current password. API tokens stay valid: revoke them if they may be known to others.",
  getAccountTotp: "Tells nothing that helps to make codes.",
  createAccountTotp:
    "Answers the secret, in base32 and as an address for a QR code. Nothing changes until a code confirms it.",
  deleteAccountTotp: "Sign-ins by password then ask for no code.",
  postAccountTotpConfirm:
    "The ten recovery codes are shown only in this answer. Each of them replaces a code once.",
  postAccountTotpRecoveryCodes:
    "Needs the password, or a code if the account has none. The new codes are shown only in this answer.",
  postAuthPasskeyOptions:
    "What `navigator.credentials.get()` takes. Its challenge is accepted once, on any node.",
  postAuthPasskey: "Takes what `navigator.credentials.get()` gives. A passkey counts as both factors.",
  postAccountPasskeysOptions:
    "What `navigator.credentials.create()` takes. Needs the password, or a code if the account has none.",
  createAccountPasskey: "Takes what `navigator.credentials.create()` gives. An account has at most 20.",
  listAccountPasskeys: "Their names, when they were added and last used. The list is complete.",
  patchAccountPasskey: "The name is for you only; the device keeps its own.",
  deleteAccountPasskey: "The device may still offer it, and is then refused. Remove it there too.",
  listAccountSessions:
    "Each with address, browser and how it signed in, so that you find one that is not yours.",
  deleteAccountSession: "The present session can be ended too. Other nodes refuse it within a second.",
  listUsers: "By a part of the name, by role or by state.",
  createUser: "Give either `password` or `invite`, which needs `email` and a server for mails.",
  getUser: "With role, quota, mail address and state, never its password.",
  patchUser:
    "A lowered role holds from the next request. Disabling an account also removes its API tokens for good.",
  deleteUser:
    "Links and domains need a new owner in `transfer_to` (409 without it). Files without a new owner are deleted with it.",
  getUserBelongings: "Ask it before a deletion: it counts links, files, folders and tokens.",
  postUserInvite: "The former link ends. Needs an address and a server for mails (409).",
  deleteUserSecondFactor: "For somebody who has lost phone and recovery codes. Make sure first who asks.",
  getAccountMail:
    "The address that counts, one that waits to be confirmed, the language, and each kind of mail with how often it comes.",
  patchAccountMail: "Only the kinds that are named change.",
  putAccountEmail:
    "Needs the password, or a code if the account has none. The former address counts until the new one is confirmed; at most five such mails an hour.",
  postAuthPasswordReset: "The answer is the same for every name, so it tells nobody who has an account.",
  putAuthPasswordReset:
    "The link works once, for an hour. It signs nobody in, so a second factor is still asked for.",
  postAuthConfirmAddress: "The link works once. The account gets its mails there from then on.",
  listTeams: "With their members.",
  createTeam: "A team owns links, folders and domains like an account. It has at most 500 members.",
  getTeam: "Its members with their roles, and its quota. 404 for those who are not in it.",
  patchTeam:
    "`members` is the whole list: who is not in it is out from the next request. Only administrators change the quota.",
  deleteTeam: "409 while it owns anything and `transfer_to` names nobody who gets it.",
  listTokens: "Names, scopes, ends and last use, never the text of a token.",
  createToken:
    "A token can do what its scopes say and never more than its account. An account has at most 100.",
  getToken: "Name, scopes, end and the hour of the last use, never the text.",
  deleteToken: "Programs that use it get 401. It can't be brought back.",
  getAnalyticsLive: `${OWN} ${LIVE}`,
  getAnalyticsDevices: `${OWN} ${DETAILS}`,
  getAnalyticsTrends: `${OWN} The last bucket may still grow.`,
  listAnalyticsGeo: `${OWN} ${DETAILS} Places need a database or service that finds them.`,
  listAnalyticsClicks: `${OWN} ${DETAILS} At most \`limit\` clicks; the export has all.`,
  listAnalyticsReport: `${OWN} \`total\` is what the report is about and \`other\` what no row has.`,
  listAnalyticsTop: `${OWN} Clicks of the range count, not those of the link's whole life.`,
  listAnalyticsReferrers: `${OWN} ${DETAILS} \`(direct)\` stands for no referrer.`,
  getLinkAnalyticsDevices: `${DETAILS} ${CODE_ENDS}`,
  getLinkAnalyticsTrends: `The last bucket may still grow. ${CODE_ENDS}`,
  listLinkAnalyticsGeo: `${DETAILS} ${CODE_ENDS}`,
  listLinkAnalyticsClicks: `${DETAILS} ${CODE_ENDS}`,
  getLinkAnalytics:
    "The sum of the range, its course, the most frequent referrers and the places. Referrers and places need details of clicks.",
  getAnalyticsExport: `${OWN} It is streamed: a file of any length costs no memory, but reads every row of the range.`,
  getLinksExport: "Takes the filters of the list. It is streamed, and the import reads it back.",
  postLinksImport:
    "A form with the file. `mode` says what happens to codes that exist; `dry_run` checks everything and changes nothing. Rows are written in portions, so an import that breaks off keeps what was written.",
  listWebhooks: "With masked secrets, and whether their receivers answer. The list is complete.",
  createWebhook:
    "There are at most 20. Requests follow Standard Webhooks; the bodies are under `webhooks` of this document.",
  getWebhook: "`failing_since` says whether the receiver answers.",
  patchWebhook: "With `enabled: true` what waits is sent, and a replay sends what happened meanwhile.",
  deleteWebhook: "Its log can't be read any more.",
  postWebhookRotate: "Requests have two signatures meanwhile.",
  createWebhookTest: "Its outcome is in the log within seconds.",
  postWebhookReplay:
    "As far back as events are kept (`events.retention_days`). Deliveries of those events that wait or are sent stay as they are.",
  listWebhookDeliveries: "Each with its latest attempts.",
  getWebhookDelivery: "The body is the one that the next attempt would send.",
  postWebhookDeliveryResend: "The attempts begin anew, with the same `webhook-id`.",
  listMail: "What a mail said is not in it, and is removed once the mail is sent.",
  getMailServer: "Says why not, if the server does not answer or refuses the sign-in.",
  createMailTest:
    "The answer comes before the mail is sent; read its state by its id. 409 without a server for mails.",
  getMailId: "Its recipient, kind, state, attempts and last error.",
  postMailIdRetry: "The attempts begin anew.",
  listDomains:
    "The list is complete. Domains of other accounts and teams are missing for those who are not administrators.",
  createDomain:
    "The host must lead to this server; Waymark changes no DNS. With `owner` only that account or team makes links on it.",
  patchDomain: "A new host changes the short URLs of all links of the domain at once.",
  deleteDomain: "409 while it has links or aliases of links; delete or move them first.",
  listEvents:
    "Sign-ins, changes of links, files, accounts and settings, with who, how and when. No event tells a secret or a single click.",
  listLinkHistory: "Each entry has the changed fields before and after. Its id restores that state.",
  getLinkExplain:
    "Decides for the visitor that the parameters describe, and names the rule. It counts no click and takes no use.",
  postLinksBatch:
    "Each link is created or refused for itself: `failed` names those that were not, with their reasons. The status is 200 even if all are refused.",
  putLinksBatch: "Each link is changed or refused for itself, as by PUT: `failed` names those that were not.",
  deleteLinksBatch:
    "Each code is deleted or refused for itself: `failed` names those that were not. Deleted links can be put back.",
  postLinksBatchQuery:
    "Begin with `dry_run`, which only counts. While the answer has a `next`, send it as `cursor`: a long change takes several calls. A call that is repeated changes no link twice.",
  postLinksBatchUndo:
    "While the answer has a `next`, send it as `after`. Links that were changed since stay as they are.",
  listTags: "Editors see those of links that they can read.",
  patchTag:
    "Changes all links of the caller that have it; its answer names the `change`, which can be undone.",
  deleteTag: "The links stay. The answer names the `change`, which can be undone.",
  listLinksDeleted: "They can be put back for the days in `links.restore_days`.",
  postLinksDeletedIdRestore: "With `code` under another one, if its own is taken by now (409).",
  getStats: "Of all accounts. The sums are kept, so it costs the same for a million links.",
  listLinks:
    "By `page` with a total, or by `cursor`, which is right for programs: no link is missing or twice while others are created. `total=false` saves counting.",
  createLink:
    "Without `code` it gets a random one. A code that exists is refused (409) unless `force` is true, which overwrites the link.",
  getLinksAvailable: "The answer holds for this moment: only creating the link takes the code.",
  postLinkReview:
    "With `updated_at` of the link that you looked at it is refused (409) if the link has changed since. A link that is taken down answers visitors 410.",
  listReports: "They come from the page `/{code}+`, if `features.report_links` is on.",
  postReportResolve: "Taking the link down resolves all of its reports.",
  getLinkQr: "Colours that scanners can't tell apart are refused.",
  getLink: "With its counts. Its ETag changes with them; `If-Match` ignores them.",
  putLink:
    "`target` is required; other fields that are absent keep their values. PATCH can also rename a link.",
  patchLink:
    "A new code keeps counts and history. `file_id`, `folder_id`, `drop` or `items` makes the code serve that instead of a target.",
  deleteLink:
    "Visitors get 404 at once. It can be put back for the days in `links.restore_days`, and its clicks stay in the sums.",
  postLinkHistoryIdRestore: "409 if what the code served then is gone or belongs to somebody else.",
  listConfig: "With their values and what waits for a restart. Secrets are masked.",
  patchConfig: "With `dry_run` the values are checked and nothing is stored.",
  listConfigSchema: "Types, defaults, choices and bounds, from which a form can be made.",
  postConfigReload:
    "Changes by API and commands are known everywhere without it. It is for rows that were changed in the database.",
  getConfigKey: "Secrets are masked.",
  putConfigKey:
    "The value is a text, as the definition of the setting says. Most settings hold at once, in every worker; the answer says if one waits for a restart.",
  deleteConfigKey: "As if it had never been set. Its history stays.",
  listConfigKeyHistory: "Who set it when, from what to what. Secrets are masked.",
  postConfigKeyAction:
    "For settings that have such an action, such as a random secret. The value is in this answer only.",
  postConfigKeyExecuteAndSave:
    "For settings that have such an action. A new `api.jwt_secret` ends all sessions.",
  listPrivacy: "Made from the settings as they are, so that a privacy notice can lead to it.",
  listPrivacyFind:
    "Counts rows by place. Give one of `address` (of a visitor or a mail), `account` and `sender`.",
  getPrivacyExport:
    "It is streamed. It may hold data of others beside those asked for, such as a name in an event: read it before you pass it on.",
  postPrivacyDelete:
    "It can't be undone. `processes_missing` says how many processes have not told that they did it; repeat it then. Backups are not changed.",
  getSystem: "What the panel's page of the system shows. Storages are as they were within 15 seconds.",
  listPolicies: "The list is complete. Keys of storages are never shown.",
  createPolicy:
    "Its keys are sealed before they are stored. Driver, endpoint, bucket and path can't be changed later.",
  getPolicy: "A policy says where the bytes of new files go.",
  patchPolicy: "Files that exist stay where they are. Exactly one policy is the default.",
  deletePolicy: "409 while files, folders or uploads refer to it or it is the default.",
  getPolicyUsage: "Files and bytes by account, and what has to go first.",
  postPolicyTest: "Says in a sentence what is wrong (502).",
  getFoldersLive: LIVE,
  getFilesPreviewPdfViewer: "For the panel; other programs use the download.",
  getFilePreview: `${HIDDEN} 204 for kinds that have no preview.`,
  getFileThumbnail: "204 if the file has none. It is made at the first request, which may take a second.",
  createFileShare:
    "Everybody who has the code can load the file, within the limits that you give. The settings of `files.share_policy` may require a password or an end (403).",
  listFileShare: "The list is complete.",
  deleteFileShareCode: "Visitors get 404 at once. The file stays.",
  createFolderShare:
    "Visitors see what is in the folder now and later. With `add` they also put files into it.",
  listFolderShare: "The list is complete.",
  deleteFolderShareCode: "Visitors get 404 at once. The folder stays.",
  listShareVisits: "Only shares with `verify` know who came. Previews and parts of a download are not in it.",
  postShareMails: "To all, or to those in `recipients`. An account sends at most 500 such mails a day (429).",
  createShare: "At most 500 files and folders, wherever they are. Nothing is copied.",
  listShares: "By page or cursor. Shares of things in the trash are in the list, and say so.",
  listShareItems: "As visitors of the share find them.",
  getFilesSharePolicy: "Ask it before you offer a form: what breaks a limit is refused (403).",
  getShare: "With its downloads, recipients and what it serves, never its password.",
  patchShare:
    "null clears a field. The code can also serve another file, a folder, several of them, or a URL; the history keeps what it was.",
  deleteShare: "Visitors get 404 at once. What it served stays.",
  createFolderDrop:
    "Visitors need no account and see only what they sent themselves. `max_bytes` and `max_files` are exact and count what was deleted since.",
  listFolderDrop: "With how much each has received. The list is complete.",
  listFolderDropCodeFiles: "Senders type their names themselves, so names prove nothing.",
  deleteFolderDropCode: "Uploads that are under way are refused.",
  listFilesSearch: "Without regard to case.",
  postFileTrash:
    "Its shares answer 404 until it is put back. It goes on counting towards the quota, and is deleted after the days that a setting says.",
  postFolderTrash:
    "Its shares answer 404 until it is put back. It goes on counting towards the quota, and is deleted after the days that a setting says.",
  listTrash: "With where each entry was, and when it will be deleted.",
  deleteTrash: "It can't be undone. A trash with much in it is emptied in portions, which takes a while.",
  postTrashIdRestore: "409 if the name is taken there; give another `name` or folder.",
  deleteTrashId: "It can't be undone.",
  optionsFilesTus: "Version, extensions and the largest upload, in headers.",
  postFilesTus: `${TUS} \`Location\` of the answer is the address of the upload, which lasts for a day after its last byte.`,
  optionsFilesTusId: "Version, extensions and the largest upload, in headers.",
  getFilesTusId: `${TUS} Where to go on after an interruption; the bytes themselves can't be read.`,
  headFilesTusId: `${TUS} Where to go on after an interruption.`,
  patchFilesTusId: `${TUS} 409 if \`Upload-Offset\` is not where the upload stands. The last byte makes the file, whose id is in a header of the answer.`,
  deleteFilesTusId: TUS,
  postFilesTusId: "For clients behind proxies that let only POST pass.",
  createFilesUpload:
    "The bytes are on disk when it answers. A name that is taken is refused (409), as is what the quota (413) or the policy does not hold. For large files on bad lines use the resumable upload.",
  getFolderArchive: "It is made while it is sent, from the folder as it was at the start.",
  getFolders:
    "Folders and files by name. With `limit` in pages; without it a long list is streamed, without an ETag.",
  createFolder: "409 if the name is taken there; files and folders share their names.",
  getFolder:
    "Folders and files by name. With `limit` in pages; without it a long list is streamed, without an ETag.",
  patchFolder: "Its shares go along. Another owner needs room in its quota for all of it.",
  deleteFolder:
    "For good, without the trash: its shares and drop boxes end. A large folder is gone at once and deleted in portions.",
  getFileDownload: `${HIDDEN} 302 to a signed address of the storage if its policy says so.`,
  getFilesUsage: "Files in the trash and unfinished uploads count.",
  getFile: "With its size, type and SHA-256.",
  patchFile: "Its shares go along. The content never changes: upload it anew.",
  deleteFile: "For good, without the trash. Its shares end.",
  postSetUpCheck: "The secret is in the address that the start prints. 404 once there is a password.",
  postSetUp: "The secret is in the address that the start prints. Of two at once, one wins.",
  getHealth: "Monitors send the token in `api.health_token`. Parts that are damaged or full are named.",
  getReady: "For load balancers and probes; a plain text. Monitors send the token in `api.health_token`.",
  getLive: "Asks neither database nor storage. Monitors send the token in `api.health_token`.",
  headLive: "The headers of the same GET.",
  getMetrics: "404 if the server was started without metrics. Monitors send the token in `api.health_token`.",
};

const CALLERS = {
  account: "every account",
  editor: "editors and administrators",
  admin: "administrators",
};

function whoMay(entry: Endpoint): string {
  if (entry.access === "public") return "Needs no sign-in.";
  const scope = tokenScope(entry);
  const tokens =
    scope === null
      ? "API tokens are refused"
      : scope === "any"
        ? "an API token needs no scope"
        : `an API token needs the scope \`${scope}\``;
  return `For ${CALLERS[entry.access]}; ${tokens}.`;
}

export const OPERATION_IDS: ReadonlySet<string> = new Set(Object.keys(OPERATIONS));

/** @param operationId of an entry that answers two methods */
export const describedOperation = (entry: Endpoint, operationId = operationIdOf(entry)): string =>
  [OPERATIONS[operationId], whoMay(entry)].filter(Boolean).join(" ");
