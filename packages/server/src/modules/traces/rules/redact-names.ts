/** A password may be a plain word; a key, a token or a cookie never is. */
export type SecretFamily = 'password' | 'key';

const GAP = '[-_. ]?';
const PASSWORD = `pass(?:word|wd|phrase|code)s?|pwd|(?:admin|auth|db|ftp|ldap|login|mail|mysql|pg|proxy|redis|root|smtp|store|sudo|user)${GAP}pass`;
const KEY =
  `secrets?(?:${GAP}key${GAP}base)?|tokens?|credentials?|cookies?|authorization|client${GAP}key${GAP}data|` +
  `(?:access|account|api|auth|encryption|hmac|master|private|secret|session|shared|signing|ssh)${GAP}keys?`;

/** The end of a name that holds a secret. For a search in a text: use flags `gi`, and append what must follow. */
export const NAME_END = `(?:${PASSWORD}|${KEY})\\d{0,3}`;

const IS_PASSWORD = new RegExp(`(?:${PASSWORD})\\d{0,3}$`, 'i');
const IS_KEY = new RegExp(`(?:${KEY})\\d{0,3}$`, 'i');

/** Tokens that are positions in a list, entries of a vocabulary or units of a price. */
const OPEN_TOKEN =
  /(?:^|[-_. ])(?:bos|cancel|cancellation|cls|continuation|eos|first|image|last|mask|max|min|next|num|pad|page|per|sep|special|start|stop|sync|unk)[-_. ]token$/;
/** A number of tokens, unless the name says what they are for. */
const COUNTED_TOKENS = /(?<!(?:access|api|auth|bearer|refresh|secret)[-_. ]?)tokens$/;
const NAME_OF_SECRET = /pull[-_. ]?secrets?$/;
const MAX_NAME_CHARS = 64;

/** The family of secrets that a name belongs to, or null. */
export function secretFamily(name: string): SecretFamily | null {
  const tail = name.slice(-MAX_NAME_CHARS).trimEnd();
  if (IS_PASSWORD.test(tail)) return 'password';
  if (!IS_KEY.test(tail)) return null;
  const words = tail.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return OPEN_TOKEN.test(words) || COUNTED_TOKENS.test(words) || NAME_OF_SECRET.test(words) ? null : 'key';
}
