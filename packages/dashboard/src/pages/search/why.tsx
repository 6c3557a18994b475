import type { Output } from '../../data/client.ts';
import { confidence as confidenceText } from '../../texts/format.ts';
import { search } from '../../texts/search.ts';
import { Facts } from '../../ui/section.tsx';
import { hitsOf, plainText, wordsByStem } from './highlight.ts';
import styles from './search.module.css';

const texts = search.why;

type Found = Output<'entries.search'>['entries'][number];
type Recalled = Output<'entries.retrieve'>;

type WordsProps = { entry: Found; rank: number; best: number; query: string; sort: string };

/** By words: the score of the service, and which of the words are where. */
export function WhyWords({ entry, rank, best, query, sort }: WordsProps) {
  const words = wordsByStem(query);
  const stems = [...words.keys()];
  const { entity_path, key, value, score } = entry;
  const name = hitsOf(`${entity_path}/${key}`, stems);
  const text = hitsOf(plainText(value), stems);
  const isRanked = score !== null && sort === '';
  return (
    <div className={styles.whyBody}>
      <p className="second">
        {isRanked
          ? texts.words(rank, score.toFixed(2), best.toFixed(2))
          : texts.ordered(rank, search.orders[orderOf(sort)])}
      </p>
      {stems.length > 0 && (
        <table className={styles.parts}>
          <thead>
            <tr>
              <th scope="col">{texts.word}</th>
              <th scope="col">{texts.inName}</th>
              <th scope="col">{texts.inValue}</th>
            </tr>
          </thead>
          <tbody>
            {stems.map((stem) => (
              <tr key={stem}>
                <th scope="row" className="mono">
                  {words.get(stem)}
                </th>
                <td>{name.get(stem) ?? 0}</td>
                <td>{text.get(stem) ?? 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="third small">{texts.wordsHint}</p>
    </div>
  );
}

const orderOf = (sort: string): keyof typeof search.orders =>
  sort === 'recency' || sort === 'version' || sort === 'confidence' ? sort : 'confidence';

type MeaningProps = {
  entry: Recalled['entries'][number];
  rank: number;
  weights: Recalled['weights'];
  isAvoided: boolean;
};

/** By meaning: the parts that the service adds up to the score. */
export function WhyMeaning({ entry, rank, weights, isAvoided }: MeaningProps) {
  const { score, breakdown } = entry;
  const parts = Object.entries(breakdown) as [keyof typeof breakdown, number][];
  const most = Math.max(...parts.map(([, value]) => Math.abs(value)), 0.001);
  return (
    <div className={styles.whyBody}>
      <p className="second">{isAvoided ? texts.avoided(score.toFixed(3)) : texts.meaning(rank, score.toFixed(3))}</p>
      <table className={styles.parts}>
        <caption className="unseen">{texts.parts}</caption>
        <tbody>
          {parts.map(([name, value]) => (
            <tr key={name} className={value === 0 ? 'third' : undefined}>
              <th scope="row" title={texts.partHints[name]}>
                {texts.partNames[name]}
              </th>
              <td className={styles.partBar}>
                <svg viewBox="0 0 100 6" preserveAspectRatio="none" height="6" aria-hidden="true">
                  <rect className={styles.track} width="100" height="6" />
                  <rect
                    className={value < 0 ? styles.negative : styles.positive}
                    width={(Math.abs(value) / most) * 100}
                    height="6"
                  />
                </svg>
              </td>
              <td className="mono">{signed(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className={styles.partHints}>
        {parts
          .filter(([, value]) => value !== 0)
          .map(([name]) => (
            <div key={name} className="third small">
              <dt>{texts.partNames[name]}</dt>
              <dd>{texts.partHints[name]}</dd>
            </div>
          ))}
      </dl>
      <p className="third small">{texts.weights(weights.source)}</p>
      <Facts
        facts={[
          { name: texts.weightNames.semantic_weight, value: confidenceText(weights.semantic_weight) },
          { name: texts.weightNames.confidence_weight, value: confidenceText(weights.confidence_weight) },
          { name: texts.weightNames.evidence_weight, value: confidenceText(weights.evidence_weight) },
        ]}
      />
    </div>
  );
}

const signed = (value: number): string => (value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(3)}`);
