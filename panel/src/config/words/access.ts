/** Sign-in, cookies and other sites. */
import { msg } from "@lingui/core/macro";

export const ACCESS_WORDS = {
  "api.admin_token": {
    name: msg`Admin password`,
    description: msg`Password of the built-in administrator, as an Argon2 hash. Empty: the admin API answers 404. Only the set-up and reset-password set it.`,
    allowed: msg`empty or an Argon2 hash`,
  },
  "api.health_token": {
    name: msg`Health token`,
    description: msg`Bearer token for the health endpoints. Empty: only a signed-in administrator may call them.`,
    allowed: msg`empty or 8 to 512 characters of visible ASCII`,
  },
  "api.jwt_secret": {
    name: msg`JWT secret`,
    description: msg`Key that signs sessions, generated at the first start. A new key ends all sessions.`,
    allowed: msg`32 to 512 characters of visible ASCII`,
  },
  "api.access_token_minutes": {
    name: msg`Access token lifetime`,
    description: msg`Lifetime of an access token in minutes.`,
  },
  "api.refresh_token_days": {
    name: msg`Session lifetime`,
    description: msg`Days after which a session without a refresh ends.`,
  },
  "api.second_factor_roles": {
    name: msg`Second factor needed by`,
    description: msg`Roles whose accounts need a second factor: a passkey, an authenticator app, or that of the OpenID Connect provider. Who lacks one can only set it up. API tokens go on.`,
  },
  "api.trusted_proxies": {
    name: msg`Trusted proxies`,
    description: msg`Proxies whose X-Forwarded-For counts. Empty: the client is the peer of the connection.`,
    allowed: msg({ message: "a list of IP addresses and CIDR ranges; `unix` for peers on a unix socket" }),
  },
  "api.cookie_secure": {
    name: msg`Secure cookies`,
    description: msg`Send the cookies over HTTPS only. Turn it off only without HTTPS.`,
  },
  "api.cookie_same_site": {
    name: msg`Cookie SameSite`,
    description: msg`SameSite attribute of the cookies.`,
    options: {
      Strict: msg`Never sent from other sites, even when a link leads here.`,
      Lax: msg`Sent from other sites only when a link leads here.`,
      None: msg`Sent from other sites; needs api.cookie_secure.`,
    },
  },
  "api.cookie_domain": {
    name: msg`Cookie domain`,
    description: msg`Domain attribute of the cookies. Empty: the host that set them, without subdomains.`,
    allowed: msg`empty or a domain name such as example.com`,
  },
  "cors.enabled": {
    name: msg`Answer other sites`,
    description: msg`Answer cross-origin requests by the rules below. Off: browsers allow only the same origin.`,
  },
  "cors.allowed_origins": {
    name: msg`Allowed origins`,
    description: msg`Origins that may call the API. * is any origin, without credentials.`,
    allowed: msg`a list of origins such as https://app.example.com, or *`,
  },
  "cors.allowed_methods": {
    name: msg`Allowed methods`,
    description: msg`Methods that other origins may use.`,
  },
  "cors.allowed_headers": {
    name: msg`Allowed headers`,
    description: msg`Request headers that other origins may send.`,
    allowed: msg`a list of header names, or *`,
  },
  "cors.max_age": {
    name: msg`Max age`,
    description: msg`Seconds for which a browser may cache a preflight answer.`,
  },
  "cors.allow_credentials": {
    name: msg`Allow credentials`,
    description: msg`Let other origins send cookies. No effect with the origin *.`,
  },
};
