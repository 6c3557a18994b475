import { findMatches, type Secret } from './redact-span.ts';

type Place = { text: string; start: number; end: number };
type Check = (token: string, place: Place) => boolean;
type Shape = { kind: string; pattern: RegExp; check: Check };

const always = () => true;
const hasDigit = (token: string) => /\d/.test(token);
const isMixed = (token: string) => hasDigit(token) && /[a-z]/.test(token) && /[A-Z]/.test(token);
const isAwsSecret = (token: string, { text, start }: Place) =>
  isMixed(token) && /(?:aws|amazon|secret)[^\n]*$/i.test(text.slice(Math.max(0, start - 60), start));
const isTwilio = (_: string, { text, start, end }: Place) =>
  /twilio/i.test(text.slice(Math.max(0, start - 200), end + 200));

/** A token begins at the start of a word, or after a line end that is written as an escape. */
const WORD_START = String.raw`^|[^A-Za-z0-9]|\\[nrt]`;
/** The same for those that have dashes and underscores in them, else each dash would be a place to begin. */
const NAME_START = String.raw`^|[^\w-]|\\[nrt]`;

/** The look back comes after the beginning: a search for fixed letters is much faster than one for a place. */
function word(kind: string, [begin, rest]: readonly [string, string], check: Check = always): Shape {
  return { kind, pattern: new RegExp(`(?:${begin})(?<=(?:${WORD_START})(?:${begin}))(?:${rest})`, 'g'), check };
}

function anywhere(kind: string, pattern: RegExp, check: Check = always): Shape {
  return { kind, pattern, check };
}

/**
 * What is read must never be read again: after an open-ended part nothing may follow that can fail. A first group is
 * kept: it tells what was there.
 */
const SHAPES: readonly Shape[] = [
  word('aws_access_key', ['AKIA|ASIA|ABIA|ACCA', '[A-Z0-9]{16}(?![A-Za-z0-9])']),
  anywhere('aws_secret_key', /(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g, isAwsSecret),
  word('gcp_api_key', ['AIza', String.raw`[\w-]{35}(?![\w-])`]),
  word('gcp_oauth_token', [String.raw`ya29\.|GOCSPX-`, String.raw`[\w-]{20,}`]),
  anywhere('github_token', /gh[pousr]_[A-Za-z0-9_]{30,}/g),
  anywhere('github_token', /github_pat_[A-Za-z0-9_]{22,}/g),
  word('gitlab_token', ['gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent|oas)-', String.raw`[\w-]{20,}`]),
  word('slack_token', ['xox[abeoprs][-.]|xapp-', '[A-Za-z0-9.-]{10,}'], hasDigit),
  anywhere('slack_webhook', /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/+-]{16,}/g),
  anywhere('discord_webhook', /(discord(?:app)?\.com\/api\/webhooks\/\d{1,20}\/)[\w-]{30,}/g),
  word('stripe_key', ['[sr]k_(?:live|test)_', '[A-Za-z0-9]{10,}']),
  word('stripe_key', ['whsec_', '[A-Za-z0-9+/=]{24,}']),
  word('anthropic_key', ['sk-ant-', String.raw`[\w-]{16,}`], hasDigit),
  word('openai_key', ['sk-', String.raw`(?:proj|svcacct|admin|None|or-v1)-[\w-]{20,}|[A-Za-z0-9]{20,}`], hasDigit),
  word('huggingface', ['hf_', '[A-Za-z0-9]{30,}']),
  word('npm_token', ['npm_', '[A-Za-z0-9]{36,}']),
  word('pypi_token', ['pypi-', String.raw`[\w-]{32,}`], isMixed),
  word('sendgrid', [String.raw`SG\.`, String.raw`[\w-]{16,32}\.[\w-]{32,64}`]),
  word('twilio', ['SK', '[0-9a-f]{32}(?![A-Za-z0-9])'], isTwilio),
  anywhere('azure_storage_key', /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{40,}={0,2}/g),
  anywhere('mem_key', /mem_sk_[\w-]{8,}/g),
  word('vault_token', [String.raw`hv[sbr]\.`, String.raw`[\w-]{24,}`]),
  word(
    'service_token',
    ['dop_v1_|shpat_|dckr_pat_|lin_api_|gsk_|xai-|glsa_|figd_|sbp_|pplx-', String.raw`[\w-]{24,}`],
    hasDigit,
  ),
  anywhere(
    'jwt',
    new RegExp(
      String.raw`eyJ(?<=(?:${NAME_START})eyJ)[\w-]{8,}\.(?:[\w-]{2,}\.[\w-]*|\.[\w-]{10,})(?:\.[\w-]+){0,2}`,
      'g',
    ),
    hasDigit,
  ),
];

/** Keys and tokens of known services. */
export function findTokens(text: string): Secret[] {
  const secrets: Secret[] = [];
  for (const { kind, pattern, check } of SHAPES) {
    for (const match of findMatches(text, pattern)) {
      const [whole, kept = ''] = match;
      const start = match.index + kept.length;
      const end = match.index + whole.length;
      if (check(whole, { text, start, end })) secrets.push({ start, end, kind });
    }
  }
  return secrets;
}
