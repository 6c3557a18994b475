import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './data.module.css';

/** A part of a page: told apart by a hairline and a heading, never by a box. `bleed`: its content reaches the edges. */
export function Section(props: {
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  bleed?: boolean;
  children: ReactNode;
  className?: string | undefined;
  /** The step of the tour that explains it. */
  tour?: string;
}) {
  const { title, note, actions, bleed = false, children, className, tour } = props;
  return (
    <section className={classes(styles.section, bleed && styles.bleed, className)} aria-label={title} data-tour={tour}>
      <header className={styles.sectionHead}>
        <h2 className={styles.sectionTitle}>{title}</h2>
        {note !== undefined && <span className="third small">{note}</span>}
        <span className="grow" />
        {actions}
      </header>
      {children}
    </section>
  );
}

export type Fact = { name: string; value: ReactNode };

/** Names and values, one below the other. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <FactRow key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactRow({ name, value }: Fact) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
