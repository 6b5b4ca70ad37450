"""Forgets the functions of the queue, some of whose results have changed; those of this version are loaded afterwards"""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_FORGET = """
do $$
declare f regprocedure;
begin
  for f in select oid from pg_proc where pronamespace = current_schema()::regnamespace and proname like 'queue\\_%' loop
    execute format('drop function %s', f);
  end loop;
end $$
"""


def upgrade() -> None:
    op.execute(_FORGET)


def downgrade() -> None:
    op.execute(_FORGET)
