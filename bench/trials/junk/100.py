"""{'rate': 10, 'after': ('unicode_', 5), 'instead': ['error'], 'instead_rate': 30}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(100)
