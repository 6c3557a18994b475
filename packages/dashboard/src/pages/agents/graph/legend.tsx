import { number } from '../../../texts/format.ts';
import { graph as texts } from '../../../texts/graph.ts';
import styles from './graph.module.css';
import { countOf, type MapModel } from './model.ts';

const DIAMOND = 'M5 0l5 5-5 5-5-5z';

/** What the shapes mean, and how many of each there are. */
export function GraphLegend({ model, truncated }: { model: MapModel; truncated: boolean }) {
  const outcomes = (['good', 'bad'] as const)
    .map((tone) => ({ tone, count: countOf(model, 'outcome', tone) }))
    .filter(({ count }) => count > 0);
  return (
    <ul className={styles.legend}>
      <li>
        <Shape>
          <circle className={styles.circle} cx="5" cy="5" r="5" />
        </Shape>
        {texts.legend.agent} {number(countOf(model, 'agent'))}
      </li>
      <li>
        <Shape>
          <rect className={styles.square} x="1" y="1" width="8" height="8" rx="1.5" />
        </Shape>
        {texts.legend.entity} {number(countOf(model, 'entity'))}
      </li>
      {outcomes.map(({ tone, count }) => (
        <li key={tone}>
          <Shape>
            <path className={styles[tone]} d={DIAMOND} />
          </Shape>
          {texts.legend[tone]} {number(count)}
        </li>
      ))}
      <li className="third wide-only">{truncated ? texts.truncated : texts.thicker}</li>
    </ul>
  );
}

const Shape = ({ children }: { children: React.ReactNode }) => (
  <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
    {children}
  </svg>
);
