"""Diagrams that several tests read or draw."""

from __future__ import annotations

SHAPES = r"""flowchart TD
A[Start] --> B{Is it OK?<br/>really}
B -->|Yes| C([Done]) & D[[Subroutine]]
B -- no way --> E[(Database)]
E -.-> F((circle)) ==> G{{hexagon}}
G --x H>flag] --o I[/lean/] <--> J[\back\]
J --> T[/trap\] --> U[\inv/] --> V(((double)))
K["quoted [x] (y)"] --- A
V --> V
D --> |again and again| D
E --> A
"""
FRAMES = """flowchart TD
  User([User]) --> UI
  subgraph Frontend [Frontend of the application]
    UI[Web UI] --> Store[(State)]
    Store --> UI
  end
  subgraph Backend
    API{{API}} --> Auth{Token ok?}
    Auth -->|yes| Svc[Service]
    Auth -->|no| Err[401]
    subgraph Data ["Data layer"]
      DB[(Postgres)] --- Cache[(Redis)]
    end
    Svc --> DB
  end
  UI -->|fetch| API
  Err --> UI
  Svc -.-> Log[Logging]
"""
SEQUENCE = """sequenceDiagram
  autonumber
  participant A as Alice of the front
  actor B
  participant C as Service<br/>of things
  A->>+B: Hello, here is a long message that goes on and on for quite a while and then ends
  B-->>-A: Hi
  loop every minute
    A-xC: x
    Note over A,B: text of a note
    alt ok
      A-)B: y
      B->>B: think about it
    else no
      A->A: self
      Note right of C: right
      Note left of A: left
    end
  end
  opt maybe
    C->>+C: work
    C-->>-A: done
  end
"""
