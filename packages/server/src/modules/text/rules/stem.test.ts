import { describe, expect, it } from 'vitest';
import { stem } from './stem.ts';

/** Words and their stems by the published algorithm. */
const VECTORS = `
consign consign, consigned consign, consigning consign, consignment consign, consistency consist, consistently consist,
consolation consol, consolatory consolatori, consolingly consol, consolidating consolid, conspicuous conspicu,
conspiracy conspiraci, conspirators conspir, constables constabl, constancy constanc, knackeries knackeri, knaves knave,
knightly knight, knitting knit, knocker knocker, knots knot, caresses caress, ponies poni, ties tie, cries cri, gas gas,
this this, gaps gap, kiwis kiwi, agreed agre, feed feed, proceed proceed, succeeds succeed, hopping hop, hoping hope,
luxuriated luxuri, troubled troubl, sized size, adding add, egged egg, dying die, tying tie, inning inning, evening evening,
canning canning, outings outing, cry cri, by by, say say, happy happi, relational relat, conditional condit,
valenci valenc, digitizer digit, vietnamization vietnam, operator oper, feudalism feudal, decisiveness decis,
hopefulness hope, callousness callous, formality formal, sensitivity sensit, sensibility sensibl, apology apolog,
geologist geolog, triplicate triplic, formalize formal, electricity electr, electrical electr, goodness good,
revival reviv, allowance allow, inference infer, airliner airlin, adjustable adjust, defensible defens, irritant irrit,
replacement replac, adjustment adjust, dependent depend, adoption adopt, communism communism, activate activ,
effective effect, bowdlerize bowdler, probate probat, rate rate, cease ceas, controll control, roll roll,
generous generous, general general, communities communiti, university universiti, universe univers, pasted paste,
past past, paste paste, international internat, organic organic, emergency emergenc, later later, lateral lateral,
skies sky, skis ski, sky sky, news news, atlas atlas, bias bias, early earli, only onli, gently gentl, singly singl,
yes yes, youth youth, boyish boyish, sayings say, retries retri, retry retri, policies polici, policy polici
`;

const vectors = VECTORS.split(',').map((row) => row.trim().split(' '));

describe('stem', () => {
  it('follows the published vectors, the second time as the first', () => {
    for (const pass of [1, 2]) {
      for (const [word = '', expected] of vectors) expect(stem(word), `${word}, pass ${pass}`).toBe(expected);
    }
  });

  it('does not change what is no English word', () => {
    for (const word of ['', 'a', 'is', 'v2s', '123s', 'Running', 'réseaux', '走る', 'ss-es'])
      expect(stem(word)).toBe(word);
  });

  it('ends on any run of letters', () => {
    for (const word of ['s'.repeat(64), 'y'.repeat(64), 'ing', 'eed', 'ies', 'sses', 'aeiou', 'ational'.repeat(9)]) {
      expect(word.startsWith(stem(word).charAt(0))).toBe(true);
    }
  });

  it('stays right when more words come than are remembered', () => {
    const letters = 'bcdfghjklmnpqrvz';
    const name = (n: number) => `a${[12, 8, 4, 0].map((shift) => letters.charAt((n >> shift) & 15)).join('')}`;
    const wrong = Array.from({ length: 60_000 }, (_, n) => name(n)).filter((word) => stem(`${word}s`) !== word);
    expect(wrong).toEqual([]);
  });
});
