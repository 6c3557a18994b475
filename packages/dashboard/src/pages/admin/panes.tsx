import type { ReactNode } from 'react';
import { useCommands } from '../../shell/commands.ts';
import { useCrumbs } from '../../shell/crumbs.ts';
import { admin } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import styles from './admin.module.css';

type PanesProps = { children: ReactNode; detail?: ReactNode };

/** A list, and on its right what is selected in it; where there is little room, one of them at a time. */
export function Panes({ children, detail }: PanesProps) {
  return (
    <div className={classes(styles.panes, detail !== undefined && styles.two)}>
      <div className={styles.list}>{children}</div>
      {detail !== undefined && <div className={styles.detail}>{detail}</div>}
    </div>
  );
}

type DetailHeadProps = { title: ReactNode; note?: ReactNode; onClose: () => void; children?: ReactNode };

export function DetailHead({ title, note, onClose, children }: DetailHeadProps) {
  useCommands([{ id: 'admin-close', label: admin.back, keys: 'Escape', group: 'page', unlisted: true, run: onClose }]);
  return (
    <div className={styles.detailHead}>
      <div className="grow">
        <h2>{title}</h2>
        {note}
      </div>
      {children}
      <Button kind="quiet" icon="close" aria-label={admin.back} onClick={onClose} />
    </div>
  );
}

/** The title of a page of admins, and what can be done there. */
export function AdminBar({ title, children }: { title: string; children?: ReactNode }) {
  useCrumbs([{ label: admin.group }, { label: title }]);
  return (
    <div className={styles.bar}>
      <h1>{title}</h1>
      <span className="grow" />
      {children}
    </div>
  );
}
