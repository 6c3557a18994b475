import { assignedValue } from './redact-assignments.ts';
import { cardsInRun } from './redact-cards.ts';
import { isBase64Login, isCredential, isCurlPassword, isFilledIn } from './redact-checks.ts';
import { NAME_END } from './redact-names.ts';
import { authorization, type SecretPattern } from './redact-pattern-parts.ts';
import { servicePatterns } from './redact-service-patterns.ts';
import { urlPassword } from './redact-urls.ts';
import { looksRandom } from './redact-values.ts';

/**
 * More exact patterns come first: where two overlap, the first names the secret.
 *
 * Matching must take linear time. So nothing that can fail may follow an open-ended part, or the pattern must not be able
 * to begin again inside what that part has read. A test counts the steps.
 */
export const secretPatterns: readonly SecretPattern[] = [
  ...servicePatterns,
  {
    kind: 'basic',
    catches: 'user and password in an Authorization header',
    pattern: authorization('basic'),
    check: isCredential,
    caught: ['Authorization: Basic «dXNlcjpwYXNz»'],
    harmless: ['Authorization: Basic authentication', 'Authorization: Basic $LOGIN'],
  },
  {
    kind: 'bearer',
    catches: 'what an Authorization header has behind another scheme',
    pattern: authorization('bearer|token|api-?key|geniekey|jwt|negotiate|ntlm|oauth|splunk'),
    check: isCredential,
    caught: ['{"Authorization": "Bearer «{12}»"}'],
    harmless: ['Authorization: Bearer <token>', 'Authorization: Bearer authentication is used'],
  },
  {
    kind: 'bearer',
    catches: 'what follows the word Bearer, if nobody would write it by hand',
    pattern: /(?<![\w-])bearer[ \t]{1,8}([\w.~+/=-]{16,})/gi,
    check: looksRandom,
    caught: ['bearer «{32}»'],
    harmless: ['Use Bearer authentication-tokens'],
  },
  {
    kind: 'basic',
    catches: 'what follows the word Basic, if it is a user and a password in base64',
    pattern: /(?<![\w-])basic[ \t]{1,8}([A-Za-z0-9+/]{8,512}={0,2})(?![A-Za-z0-9+/=])/gi,
    check: isBase64Login,
    caught: ["-H 'Basic «YWRtaW46aHVudGVyMg==»'"],
    harmless: ['Basic configuration of the service'],
  },
  {
    kind: 'cookie',
    catches: 'cookies in headers, to the end of the line or of the quoted text: any of them may be the one that counts',
    pattern: /(?<![\w-])(?:set-)?cookie:[ \t]{0,8}([^\s=;,"'`\\[]{1,128}=(?:[^\r\n"'`\\]|\\(?![nr"'`]))*)/gi,
    caught: ['Cookie: «session=abc; theme=dark»\nHost: a'],
    harmless: ['cookie: a small text that a site keeps'],
  },
  {
    kind: 'connection_string',
    catches: 'passwords in addresses; scheme, user and host stay',
    // `scheme://user:`, then the rest up to a slash. The slashes may be escaped, as some serialisers do in JSON.
    pattern:
      /(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,30}):\\?\/\\?\/[^\s/?#:@"'`<>\\]{0,256}:(?=([^\s/?"'`<>\\]+))/g,
    locate: urlPassword,
    caught: ['postgres://app:«hunter2»@db:5432/app', 'mysql://root:«a/b»@localhost/x'],
    harmless: ['http://localhost:8080/a@b', 'postgres://app:<password>@db/app'],
  },
  {
    kind: 'password',
    catches: 'the password that curl is given',
    pattern: /[ \t](?:-u|--user)[ \t=]{0,4}["']?[^\s:"'`]{1,128}:([^\s"'`\\]{1,256})/g,
    check: isCurlPassword,
    caught: ['curl -u admin:«letmein» https://a.example'],
    harmless: ['docker run -u 1000:1000 image'],
  },
  {
    kind: 'password',
    catches: 'the password that sshpass is given',
    pattern: /\bsshpass[ \t]{1,4}-p[ \t]{0,4}["']?([^\s"'`\\]{1,256})/g,
    check: isFilledIn,
    caught: ['sshpass -p «letmein» ssh host'],
    harmless: ['sshpass -p $PASS ssh host'],
  },
  {
    kind: 'password',
    catches: 'passwords of users in SQL',
    pattern: /\b(?:password|identified by)[ \t]{1,8}'([^'\s]{1,256})(?=')/gi,
    check: isFilledIn,
    caught: ["ALTER USER a WITH PASSWORD '«letmein»';"],
    harmless: ["IDENTIFIED BY '<password>'"],
  },
  {
    kind: 'card',
    catches: 'numbers of payment cards: of a known issuer, grouped as on a card, with the right check digit',
    // Digits in groups. Groups joined by dashes are one word; a space may also be the end of the number.
    pattern: /(?<=^|[^\w.+-]|\\[nrt]|(?<!\d)-)\d+(?:[ -]\d+)*(?![\w])(?!\.\d)/g,
    locate: cardsInRun,
    caught: ['card «4111 1111 1111 1111» exp 12/27', '«5500-0000-0000-0004»'],
    harmless: ['order 4111 1111 1111 1112', 'score 0.4111111111111111'],
  },
  {
    kind: 'assignment',
    catches: 'values that go by the name of a secret, as in `password=…`, `"secret": "…"`, `api_key: …`, `--token …`',
    // Skips an existing marker, so that its own name is not matched.
    pattern: new RegExp(String.raw`\[REDACTED:[a-z_]+\]|${NAME_END}(?=[\s"'\x60\\\]:=*>?])`, 'gi'),
    locate: assignedValue,
    caught: ['{"client_secret": "«letmein»", "a": 1}', 'PASSWORD=«changeme»', '--api-key="«a1b2c3»"'],
    harmless: ['max_tokens=512', 'login(user=user, password=password)', 'Password: required', 'TOKEN=xxxxxxxx'],
  },
];
